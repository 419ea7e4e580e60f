-- How workers hold jobs. "token:queue" leads to the worker and the start, and is listed
-- with the worker while the token is open, or with the queue once its worker vanished.

local PLACES, place_in_claim = 4096, 0

local function held_by(worker)
	return base .. 'held:' .. worker
end

-- Forget a token in a queue if no job is held under it any more.
local function close(queue, token)
	if call('ZCOUNT', of(queue, 'running'), token, behind(token)) > 0 then
		return
	end
	local name = token .. ':' .. queue
	local holder = call('HGET', TOKENS, name)
	if holder then
		call('HDEL', TOKENS, name)
		call('SREM', held_by(fields(holder, 1)[1]), name)
	end
	call('SREM', of(queue, 'abandoned'), token)
end

-- Let a worker hold jobs of a queue under a token.
local function hold(queue, ids, token, worker)
	local scored = {}
	for i, id in ipairs(ids) do
		scored[2 * i - 1], scored[2 * i] = tonumber(token) + place_in_claim / PLACES, id
		place_in_claim = math.min(place_in_claim + 1, PLACES - 1)
	end
	each('ZADD', of(queue, 'running'), scored)
	call('HSET', TOKENS, token .. ':' .. queue, pack(worker, ARGV[1]))
	call('SADD', held_by(worker), token .. ':' .. queue)
end

local function next_token()
	return string.format('%.0f', call('INCR', base .. 'token'))
end

local function is_alive(worker)
	local lease = call('ZSCORE', LEASES, worker)
	return lease and tonumber(lease) >= now
end

-- Forget a worker; what it holds is abandoned.
local function forget(worker)
	for _, name in ipairs(call('SMEMBERS', held_by(worker))) do
		local token, queue = string.match(name, '^(%d+):(.*)$')
		call('SADD', of(queue, 'abandoned'), token)
	end
	call('DEL', held_by(worker))
	call('ZREM', LEASES, worker)
	call('HDEL', WORKERS, worker)
end

-- What a claim tells of jobs: id, record, trail, and whether an end was asked for.
local function tell(rows, ids, records, wishes)
	local trails = call('EXISTS', TRAIL) == 1 and read('HMGET', TRAIL, ids) or {}
	local at = #rows
	for i, id in ipairs(ids) do
		rows[at + 1], rows[at + 2] = id, records[i]
		rows[at + 3], rows[at + 4] = trails[i] or '', wishes[i] and 1 or 0
		at = at + 4
	end
end
