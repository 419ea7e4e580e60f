-- Forgets workers whose lease ran out and hands jobs of vanished workers, or of tokens
-- whose claim got lost, to a worker.
--
-- KEYS[1]  the hash of the jobs
-- ARGV     the present, worker, limit, number of own tokens, these; then the queues
-- returns  token; id, record, trail and whether an end was asked for, for each job

local worker, limit, owned, own, rows, token = ARGV[2], tonumber(ARGV[3]), tonumber(ARGV[4]), {}, {}, '0'

write_though_full()
for _, expired in ipairs(call('ZRANGEBYSCORE', LEASES, '-inf', '(' .. ARGV[1])) do
	if expired ~= worker then
		forget(expired)
	end
end
local lease = call('ZSCORE', LEASES, worker)
if not lease or tonumber(lease) < now then
	return { token, rows }
end
for i = 5, 4 + owned do
	own[ARGV[i]] = true
end

local function tokens_in(queue)
	local tokens = owned == 0 and call('SMEMBERS', of(queue, 'abandoned')) or {}
	for held in pairs(own) do
		if call('SISMEMBER', held_by(worker), held .. ':' .. queue) == 1 then
			tokens[#tokens + 1] = held
		end
	end
	table.sort(tokens, function(a, b) return tonumber(a) < tonumber(b) end)
	return tokens
end

local function take_over(queue, old)
	local running, stored, records = of(queue, 'running'), {}, {}
	local ids = call('ZRANGEBYSCORE', running, old, behind(old), 'LIMIT', 0, limit)
	for i, record in ipairs(read('HMGET', JOBS, ids)) do
		if record then
			stored[#stored + 1], records[#records + 1] = ids[i], record
		else
			call('ZREM', running, ids[i])
		end
	end
	if #stored > 0 then
		token = token ~= '0' and token or next_token()
		hold(queue, stored, token, worker)
		each('HDEL', PROGRESS, stored)
		tell(rows, stored, records, read('HMGET', WISHES, stored))
		limit = limit - #stored
	end
	close(queue, old)
end

for i = 5 + owned, #ARGV do
	for _, old in ipairs(limit > 0 and tokens_in(ARGV[i]) or {}) do
		if limit > 0 then
			take_over(ARGV[i], old)
		end
	end
end
return { token, rows }
