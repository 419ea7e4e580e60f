-- Stores new jobs that no rule may keep out, all or, if any was stored before, none. Its
-- first write is refused by a full server.
--
-- KEYS[1]  the hash of the jobs
-- ARGV     the present; then for each queue: name, number of ready jobs and of scheduled
--          ones; id and record of each ready job, then of each scheduled one; the due
--          times of the scheduled ones
-- returns  1 if they were stored; nothing otherwise

local batches, from = {}, 2
while from <= #ARGV do
	local batch = { queue = ARGV[from], ready = tonumber(ARGV[from + 1]), first = from + 3, ids = {} }
	batch.all = batch.ready + ARGV[from + 2]
	batch.last = batch.first + 2 * batch.all - 1
	for n = 1, batch.all do
		batch.ids[n] = ARGV[batch.first + 2 * n - 2]
	end
	for _, stored in ipairs(call('HMGET', JOBS, unpack(batch.ids))) do
		if stored then
			return {}
		end
	end
	expect(of(batch.queue, 'ready'), 'list')
	expect(of(batch.queue, 'skip'), 'set')
	if batch.all > batch.ready then
		expect(of(batch.queue, 'scheduled'), 'zset')
		expect(of(batch.queue, 'retry'), 'zset')
	end
	batches[#batches + 1] = batch
	from = batch.last + 1 + batch.all - batch.ready
end
for _, batch in ipairs(batches) do
	call('HSET', JOBS, unpack(ARGV, batch.first, batch.last))
	call('HSETNX', QUEUES, batch.queue, '0;-1')
	if batch.ready > 0 then
		add_ready(batch.queue, { unpack(batch.ids, 1, batch.ready) })
	end
	local scored = {}
	for n = batch.ready + 1, batch.all do
		scored[#scored + 1] = ARGV[batch.last + n - batch.ready]
		scored[#scored + 1] = batch.ids[n]
	end
	if #scored > 0 then
		add_scheduled(batch.queue, 'scheduled', scored)
	end
end
return { 1 }
