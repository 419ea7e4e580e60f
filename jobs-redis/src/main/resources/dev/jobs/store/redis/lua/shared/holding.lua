-- How workers hold jobs. "token:queue" leads to the worker and the start, and is listed with the
-- worker while the token is open, or with the queue once its worker vanished.
--
-- needs      keys, names, line, fields, lanes
-- ARGV[1]    now
-- defines    held_by, forget_token, close, hold, may_have_reports, may_be_awaited, stop,
--            END_OF_TOKENS, server_name, last_token, next_token, is_alive, forget, add_claimed

local function held_by(worker)
	return base .. 'held:' .. worker
end

-- Forget a token in a queue.
local function forget_token(queue, token)
	local name = token .. ':' .. queue
	local holder = call('HGET', TOKENS, name)
	if holder then
		call('HDEL', TOKENS, name)
		redis.pcall('SREM', held_by(fields(holder, 1)[1]), name)
	end
	call('SREM', of(queue, PART.ABANDONED), token)
end

-- Forget a token in a queue if no job is held under it any more.
local function close(queue, token)
	if call('ZCOUNT', of(queue, PART.RUNNING), scores_of(token)) == 0 then
		forget_token(queue, token)
	end
end

-- A small sorted set is packed, and searched from its start; one that got a longer member stays unpacked
-- until it is empty.
local LONG, FEW = string.rep('-', 65), 4

local places_used = 0

-- Assign jobs of a queue to a worker under a token, either only running ones or only others. Returns how many
-- did not run.
local function hold(queue, ids, token, worker, which)
	local running, added, last = of(queue, PART.RUNNING), 0, PLACES - 1
	if #ids > FEW then
		call('ZADD', running, 0, LONG)
	end
	for from = 1, #ids, 1000 do
		local scored, at = { which }, 2
		for i = from, math.min(from + 999, #ids) do
			scored[at], scored[at + 1] = token .. string.format('%03d', places_used < last and places_used or last), ids[i]
			places_used, at = places_used + 1, at + 2
		end
		added = added + call('ZADD', running, unpack(scored))
	end
	if #ids > FEW then
		call('ZREM', running, LONG)
	end
	call('HSET', TOKENS, token .. ':' .. queue, packed_with_version(worker, ARGV[1]))
	call('SADD', held_by(worker), token .. ':' .. queue)
	return added
end

-- A caller may know that no running job has a report, or that nobody waits for one to end.
local may_have_reports, may_be_awaited, has_room = true, true, {}

-- Take jobs, at most a thousand, out of the running ones, which happens only here. Returns how many there
-- were.
local function stop(queue, ids)
	local stopped = each('ZREM', of(queue, PART.RUNNING), ids)
	vacate(queue, ids)
	if may_have_reports then
		each('HDEL', PROGRESS, ids)
		each('HDEL', CANCELLATIONS, ids)
	end
	if may_be_awaited and #ids > 0 and not has_room[queue] then
		has_room[queue] = true
		if call('HDEL', WAITS, 'limit:' .. queue) == 1 then
			signal_ready(queue, ARGV[1])
		end
	end
	return stopped
end

-- A greater token would leave no room for the place.
local END_OF_TOKENS = 9e12

-- The greatest token under which jobs run, in case the last token was lost.
local function greatest_held()
	local greatest = 0
	for _, queue in ipairs(call('HKEYS', QUEUES)) do
		local last = redis.pcall('ZREVRANGEBYSCORE', of(queue, PART.RUNNING), '(9e15', '-inf', 'WITHSCORES', 'LIMIT', 0, 1)
		greatest = math.max(greatest, number(last[2] and token_of(last[2])))
	end
	return greatest
end

-- The name of this run of the server, new for each start; empty if the server does not report it.
local function server_name()
	local info = redis.pcall('INFO', 'server')
	return type(info) == 'string' and string.match(info, 'run_id:(%w+)') or ''
end

-- The last token, or 0, and its server. A stored value that is not a token counts as lost.
local function last_token()
	local last, server = string.match(call('GET', base .. 'token') or '', '^(%d+) ?(%w*)$')
	return number(last), server
end

-- Tokens grow with every claim, and with time, so that none repeats after the server lost the latest ones:
-- eight for each millisecond since 2020. All are a multiple of a step plus a remainder, which differs between
-- servers.
local function next_token(step, remainder)
	local least = (now - 1577836800000) * 8
	local last, server = last_token()
	last = last > 0 and last < END_OF_TOKENS - 2 * step and last or greatest_held()
	local next = last - last % step + step
	if least > next and least < END_OF_TOKENS then
		next = least - least % step
	end
	local token = string.format('%.0f', next + remainder)
	call('SET', base .. 'token', token .. ' ' .. (server or server_name()))
	return token
end

local function is_alive(worker)
	local lease = call('ZSCORE', LEASES, worker)
	return lease and tonumber(lease) >= now
end

-- Forget a worker; its jobs are abandoned.
local function forget(worker)
	for _, name in ipairs(call('SMEMBERS', held_by(worker))) do
		local token, queue = parts_of(name)
		if token then
			redis.pcall('SADD', of(queue, PART.ABANDONED), token)
		end
	end
	call('DEL', held_by(worker))
	call('ZREM', LEASES, worker)
	call('HDEL', WORKERS, worker)
	call('HDEL', base .. 'reported', worker)
end

-- Add the jobs of a claim to its reply: queue; ids; records; trails, if any; requests to cancel them and
-- their progress, if there may be some.
local function add_claimed(rows, queue, ids, records, cancellations, progresses)
	rows[#rows + 1] = queue
	rows[#rows + 1] = ids
	rows[#rows + 1] = records
	rows[#rows + 1] = call('EXISTS', TRAIL) == 1 and read('HMGET', TRAIL, ids) or {}
	rows[#rows + 1] = cancellations
	rows[#rows + 1] = progresses
end
