-- Forgets workers whose lease ran out, cuts leases that end later than their own length from now,
-- and gives a worker the jobs of vanished workers, or its own strays.
--
-- KEYS[1]    hash of the jobs
-- ARGV[1]    now
-- ARGV[2]    step of the tokens
-- ARGV[3]    remainder of the tokens
-- ARGV[4]    worker
-- ARGV[5]    limit
-- ARGV[6]    time of the server; empty to use this one's
-- ARGV[7]    number of own tokens with strays
-- ARGV[8..]  these tokens; number of its jobs that stay, their ids; queues
-- returns    token; for each batch of jobs: queue, ids, records, trails, requests to cancel them,
--            their progress; workers whose leases were cut
-- errors     a key of the wrong type, before a job is taken

local worker, limit, owned = ARGV[4], tonumber(ARGV[5]), tonumber(ARGV[7])
local own_tokens, stays, rows, cut, token = {}, {}, {}, {}, '0'
local LONGEST_LEASE = 24 * 60 * 60 * 1000

require_hashes(JOBS, TOKENS, WORKERS, base .. 'reported', PROGRESS, CANCELLATIONS, TRAIL)
call('SCARD', held_by(worker))
call('STRLEN', base .. 'token')
write_though_full()

local function server_time()
	local time = call('TIME')
	return time[1] * 1000 + math.floor(time[2] / 1000)
end

local function lease_of(other)
	return math.min(number(fields(call('HGET', WORKERS, other) or '', 2)[2]), LONGEST_LEASE)
end

-- Checked by two clocks, since the worker may not know yet that the server's was set.
local function look_at_leases()
	local other_time = ARGV[6] == '' and server_time() or tonumber(ARGV[6])
	local earlier, later = string.format('(%.0f', math.min(now, other_time)), math.max(now, other_time)
	for _, expired in ipairs(call('ZRANGEBYSCORE', LEASES, '-inf', earlier, 'LIMIT', 0, 1000)) do
		if expired ~= worker then
			forget(expired)
		end
	end
	local own = math.max(lease_of(worker), 1)
	local possible = string.format('(%.0f', later + own)
	for _, other in ipairs(call('ZRANGEBYSCORE', LEASES, possible, '+inf', 'LIMIT', 0, 1000)) do
		local lease = math.max(lease_of(other), own)
		if tonumber(call('ZSCORE', LEASES, other)) > later + lease then
			call('ZADD', LEASES, string.format('%.0f', later + lease), other)
			cut[#cut + 1] = other
		end
	end
end

if owned == 0 then
	look_at_leases()
end
if not is_alive(worker) then
	return { token, rows, cut }
end
for i = 8, 7 + owned do
	own_tokens[ARGV[i]] = true
end
local staying = tonumber(ARGV[8 + owned])
local first_queue = 9 + owned + staying
for i = 9 + owned, first_queue - 1 do
	stays[ARGV[i]] = true
end

local function tokens_in(queue)
	local tokens = owned == 0 and call('SMEMBERS', of(queue, PART.ABANDONED)) or {}
	for own in pairs(own_tokens) do
		if call('SISMEMBER', held_by(worker), own .. ':' .. queue) == 1 then
			tokens[#tokens + 1] = own
		end
	end
	table.sort(tokens, function(a, b) return number(a) < number(b) end)
	return tokens
end

local function take_over(queue, old)
	local ids, stored, records, gone = {}, {}, {}, {}
	local first, last = scores_of(old)
	for _, id in ipairs(call('ZRANGE', of(queue, PART.RUNNING), first, last, 'BYSCORE', 'LIMIT', 0, limit + staying)) do
		ids[#ids + 1] = #ids < limit and not stays[id] and id or nil
	end
	for i, record in ipairs(read('HMGET', JOBS, ids)) do
		if record then
			stored[#stored + 1], records[#records + 1] = ids[i], record
		else
			gone[#gone + 1] = ids[i]
		end
	end
	stop(queue, gone)
	if #stored > 0 then
		token = token ~= '0' and token or next_token(ARGV[2], ARGV[3])
		hold(queue, stored, token, worker, 'XX')
		add_claimed(rows, queue, stored, records, read('HMGET', CANCELLATIONS, stored), read('HMGET', PROGRESS, stored))
		limit = limit - #stored
	end
	close(queue, old)
end

for i = first_queue, #ARGV do
	for _, old in ipairs(limit > 0 and not fault_in(ARGV[i]) and tokens_in(ARGV[i]) or {}) do
		if limit > 0 then
			take_over(ARGV[i], old)
		end
	end
end
return { token, rows, cut }
