-- Forgets workers whose lease ran out, cuts leases that end later than any can, and hands
-- jobs of vanished workers, or of tokens whose claim got lost, to a worker.
--
-- KEYS[1]  the hash of the jobs
-- ARGV     now, number of partitions, worker, limit, latest end of a lease, number
--          of own tokens, these; then the queues
-- returns  token; for each batch of jobs: queue, ids, records, trails, wishes to end them and
--          what they told; the workers whose leases were cut

local partitions, worker, limit, owned = tonumber(ARGV[2]), ARGV[3], tonumber(ARGV[4]), tonumber(ARGV[6])
local own, rows, cut, token = {}, {}, {}, '0'

require_hashes(JOBS, TOKENS, WORKERS, base .. 'reported', PROGRESS, WISHES, TRAIL)
call('SCARD', held_by(worker))
call('STRLEN', base .. 'token')
write_though_full()
for _, expired in ipairs(call('ZRANGEBYSCORE', LEASES, '-inf', '(' .. ARGV[1], 'LIMIT', 0, 1000)) do
	if owned == 0 and expired ~= worker then
		forget(expired)
	end
end
if not is_alive(worker) then
	return { token, rows, cut }
end
local lease = call('ZSCORE', LEASES, worker)
if owned == 0 and tonumber(lease) <= tonumber(ARGV[5]) then
	for _, other in ipairs(call('ZRANGEBYSCORE', LEASES, '(' .. ARGV[5], '+inf', 'LIMIT', 0, 1000)) do
		call('ZADD', LEASES, lease, other)
		cut[#cut + 1] = other
	end
end
for i = 7, 6 + owned do
	own[ARGV[i]] = true
end

local function tokens_in(queue)
	local tokens = owned == 0 and call('SMEMBERS', of(queue, 'abandoned')) or {}
	for held in pairs(own) do
		if call('SISMEMBER', held_by(worker), held .. ':' .. queue) == 1 then
			tokens[#tokens + 1] = held
		end
	end
	table.sort(tokens, function(a, b) return number(a) < number(b) end)
	return tokens
end

local function take_over(queue, old)
	local running, stored, records = of(queue, 'running'), {}, {}
	local first, last = scores_of(old)
	local ids = call('ZRANGE', running, first, last, 'BYSCORE', 'LIMIT', 0, limit)
	for i, record in ipairs(read('HMGET', JOBS, ids)) do
		if record then
			stored[#stored + 1], records[#records + 1] = ids[i], record
		else
			call('ZREM', running, ids[i])
		end
	end
	if #stored > 0 then
		token = token ~= '0' and token or next_token(partitions)
		hold(queue, stored, token, worker, 'XX')
		tell(rows, queue, stored, records, read('HMGET', WISHES, stored), read('HMGET', PROGRESS, stored))
		limit = limit - #stored
	end
	close(queue, old)
end

for i = 7 + owned, #ARGV do
	for _, old in ipairs(limit > 0 and not fault_in(ARGV[i]) and tokens_in(ARGV[i]) or {}) do
		if limit > 0 then
			take_over(ARGV[i], old)
		end
	end
end
return { token, rows, cut }
