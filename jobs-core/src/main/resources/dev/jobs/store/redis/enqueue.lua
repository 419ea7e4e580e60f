-- Stores new jobs that are due and that no rule may keep out, all or, if any was stored
-- before, none. Its first write is refused by a full server.
--
-- KEYS[1]  the hash of the jobs
-- ARGV     the present; number of jobs; id and record of each, queue by queue; then name
--          of each queue and number of its jobs
-- returns  1 if they were stored, 0 otherwise

-- The size of a key. One that holds what it must not fails before anything is written.
local function size(command, key, kind)
	local size = redis.pcall(command, key)
	if type(size) ~= 'number' then
		error(fault_of(key, kind) or size['err'], 0)
	end
	return size
end

local function waiting_in(queue)
	return size('LLEN', of(queue, 'ready'), 'list') - size('SCARD', of(queue, 'skip'), 'set')
end

local function make_ready(queue, waiting, ...)
	call('HSETNX', QUEUES, queue, '0;-1')
	call('RPUSH', of(queue, 'ready'), ...)
	if waiting <= 0 then
		signal_ready(queue, ARGV[1])
	end
end

local many = tonumber(ARGV[2])
if many == 1 then
	local waiting = waiting_in(ARGV[5])
	local stored = call('HSETNX', JOBS, ARGV[3], ARGV[4])
	if stored == 1 then
		make_ready(ARGV[5], waiting, ARGV[3])
	end
	return stored
end
local ids, waiting, first_queue, from = {}, {}, 3 + 2 * many, 1
for i = first_queue, #ARGV, 2 do
	waiting[i] = waiting_in(ARGV[i])
end
for n = 1, many do
	ids[n] = ARGV[2 * n + 1]
end
for _, stored in ipairs(call('HMGET', JOBS, unpack(ids))) do
	if stored then
		return 0
	end
end
call('HSET', JOBS, unpack(ARGV, 3, first_queue - 1))
for i = first_queue, #ARGV, 2 do
	local to = from + ARGV[i + 1] - 1
	make_ready(ARGV[i], waiting[i], unpack(ids, from, to))
	from = to + 1
end
return 1
