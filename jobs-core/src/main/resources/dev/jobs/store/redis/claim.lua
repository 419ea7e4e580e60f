-- Leases ready jobs to a worker, after making due ones ready.
--
-- KEYS[1]  the hash of the jobs
-- ARGV     the present, worker, limit; then for each queue: name, share, most, running
--          limit of the workers
-- returns  token; id, record, trail and 0 for each job; more and next due time or nothing
--          for each queue

local worker, limit, rows, left, quotas, names = ARGV[2], tonumber(ARGV[3]), {}, {}, {}, {}
local given, token, HOPS = 0, '0', 1000

-- The first due times of the queue's waiting jobs, after making up to n due ones ready.
local function promote(quota)
	local first = {}
	for i, part in ipairs({ 'scheduled', 'retry' }) do
		first[i] = tonumber(call('ZRANGE', of(quota.queue, part), 0, 0, 'WITHSCORES')[2] or math.huge)
	end
	if math.min(first[1], first[2]) > now then
		return math.min(first[1], first[2])
	end
	local due, ids = {}, {}
	for _, part in ipairs(quota.open > 0 and { 'scheduled', 'retry' } or {}) do
		local found = call('ZRANGEBYSCORE', of(quota.queue, part), '-inf', ARGV[1], 'WITHSCORES', 'LIMIT', 0, quota.open)
		for i = 1, #found, 2 do
			due[#due + 1] = { id = found[i], at = tonumber(found[i + 1]), part = part }
		end
	end
	table.sort(due, function(a, b) return a.at < b.at or (a.at == b.at and a.id < b.id) end)
	for i = 1, math.min(#due, quota.open) do
		call('ZREM', of(quota.queue, due[i].part), due[i].id)
		ids[i] = due[i].id
	end
	each('RPUSH', of(quota.queue, 'ready'), ids)
	for i, part in ipairs({ 'scheduled', 'retry' }) do
		quota.due = quota.due or call('ZCOUNT', of(quota.queue, part), '-inf', ARGV[1]) > 0
		first[i] = tonumber(call('ZRANGEBYSCORE', of(quota.queue, part), '(' .. ARGV[1], '+inf', 'WITHSCORES', 'LIMIT', 0, 1)[2] or math.huge)
	end
	return math.min(first[1], first[2])
end

-- Pop up to n jobs, passing over those that left the list before.
local function pop(queue, n)
	local ready, skip, got = of(queue, 'ready'), of(queue, 'skip'), {}
	if call('EXISTS', skip) == 0 then
		return call('LPOP', ready, n) or got
	end
	for _ = 1, HOPS do
		local ids = #got < n and call('LPOP', ready, n - #got)
		if not ids then
			break
		end
		for _, id in ipairs(ids) do
			if call('SREM', skip, id) == 0 then
				got[#got + 1] = id
			end
		end
	end
	return got
end

local function start(queue, ids)
	for i, text in ipairs(call('EXISTS', KEYINFO) == 1 and read('HMGET', KEYINFO, ids) or {}) do
		local key = text and fields(text, 4)
		if key and key[1] == 'UNTIL_STARTED' then
			free(queue, ids[i], key)
		end
	end
	if token == '0' then
		token = next_token()
	end
	hold(queue, ids, token, worker)
end

local function give(quota, wanted)
	wanted = math.min(wanted, quota.open, limit - given)
	if wanted <= 0 or quota.spent then
		return
	end
	local popped, ids, records = pop(quota.queue, wanted), {}, {}
	for i, record in ipairs(read('HMGET', JOBS, popped)) do
		if record then
			ids[#ids + 1], records[#records + 1] = popped[i], record
		end
	end
	quota.spent = #popped < wanted
	if #ids > 0 then
		start(quota.queue, ids)
		tell(rows, ids, records, {})
		given, quota.open, quota.room = given + #ids, quota.open - #ids, quota.room - #ids
	end
end

-- Whether another claim would get something; remembers if only the limit forbids it.
local function has_more(quota)
	local ready = of(quota.queue, 'ready')
	if not quota.due and (call('LLEN', ready) <= call('SCARD', of(quota.queue, 'skip'))) then
		return 0
	end
	if quota.room <= 0 and not quota.paused and call('HEXISTS', WAITS, 'limit:' .. quota.queue) == 0 then
		write_though_full()
		call('HSET', WAITS, 'limit:' .. quota.queue, 1)
	end
	return quota.room > 0 and 1 or 0
end

if not is_alive(worker) then
	return { '0', {}, {} }
end
for i = 4, #ARGV, 4 do
	names[#names + 1] = ARGV[i]
	quotas[#quotas + 1] = { queue = ARGV[i], share = tonumber(ARGV[i + 1]), most = tonumber(ARGV[i + 2]),
			max = tonumber(ARGV[i + 3]), open = 0, room = 0 }
end
local known = read('HMGET', QUEUES, names)
for i, quota in ipairs(quotas) do
	if known[i] then
		local paused, max = string.match(known[i], '^(%d);(.*)$')
		max = max ~= '-1' and tonumber(max) or quota.max
		quota.paused = paused == '1'
		quota.room = quota.paused and 0 or (max > 0 and max - call('ZCARD', of(quota.queue, 'running'))) or math.huge
		quota.open = math.max(math.min(quota.most, limit, quota.room), 0)
		quota.next = promote(quota)
	end
end
for _, quota in ipairs(quotas) do
	give(quota, quota.share)
end
for _, quota in ipairs(quotas) do
	give(quota, quota.open)
end
local awaited = given > 0 and call('EXISTS', WAITS) == 1
for i, quota in ipairs(quotas) do
	left[2 * i - 1] = known[i] and has_more(quota) or 0
	left[2 * i] = known[i] and quota.next < math.huge and string.format('%.0f', quota.next) or ''
	if awaited then
		signal_room(quota.queue)
	end
end
return { token, rows, left }
