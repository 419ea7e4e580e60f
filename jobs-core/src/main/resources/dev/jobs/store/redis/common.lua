-- What every script begins with: the names of keys, fields, due times, unique keys and
-- signals. KEYS[1] is the hash of the jobs; all other keys have the same hash tag and
-- are named after it. ARGV[1] is always the present in milliseconds.
--
-- A text of fields is a row of netstrings ("5:hello"), so any bytes may be in them.

local call = redis.call
local base = string.sub(KEYS[1], 1, -5)
local JOBS, TRAIL, KEYINFO, QUEUES, WAITS = KEYS[1], base .. 'trail', base .. 'keys', base .. 'queues', base .. 'waits'
local PROGRESS, WISHES, TOKENS, LEASES, WORKERS = base .. 'progress', base .. 'wishes', base .. 'tokens', base .. 'leases', base .. 'workers'
local now = tonumber(ARGV[1])
local told = {}

local function of(queue, part)
	return base .. 'q:' .. queue .. ':' .. part
end

-- Call a command with a list of any length; Lua can't pass on more than some thousands.
local function each(command, key, list)
	local reply
	for from = 1, #list, 1000 do
		reply = call(command, key, unpack(list, from, math.min(from + 999, #list)))
	end
	return reply
end

-- As each, for a command that replies with one value for each element.
local function read(command, key, list)
	if #list <= 1000 then
		return #list > 0 and call(command, key, unpack(list)) or {}
	end
	local all = {}
	for from = 1, #list, 1000 do
		for _, value in ipairs(call(command, key, unpack(list, from, math.min(from + 999, #list)))) do
			all[#all + 1] = value
		end
	end
	return all
end

-- A full server checks the first write of a script only; this one may always run.
local function write_though_full()
	call('HDEL', WAITS, '')
end

local function fields(text, count)
	local found, at = {}, 1
	for i = 1, count do
		local length, from = string.match(text, '^(%d+):()', at)
		at = from + length
		found[i] = string.sub(text, from, at - 1)
	end
	return found, at
end

local function pack(...)
	local packed = {}
	for i, value in ipairs({ ... }) do
		packed[i] = #value .. ':' .. value
	end
	return table.concat(packed)
end

-- A job is due when its trail says so, or else as its record says.
local function due_of(id, record)
	local trail = call('HGET', TRAIL, id)
	local due = trail and fields(trail, 1)[1] or ''
	if due == '' then
		local head = fields(record, 2)
		due = head[2] == '' and head[1] or head[2]
	end
	return due
end

local function signal(text)
	if not told[text] then
		told[text] = true
		call('PUBLISH', string.match(base, '^{(.*):%d+}:$') .. ':signals', text)
	end
end

local function signal_ready(queue, at)
	signal('ready ' .. at .. ' ' .. queue)
end

local function waiting(queue)
	return call('LLEN', of(queue, 'ready')) - call('SCARD', of(queue, 'skip'))
			+ call('ZCARD', of(queue, 'scheduled')) + call('ZCARD', of(queue, 'retry'))
end

-- Tell of room in a queue that refused a job for its length.
local function signal_room(queue)
	local refused = call('HGET', WAITS, 'length:' .. queue)
	if refused and waiting(queue) < tonumber(refused) then
		call('HDEL', WAITS, 'length:' .. queue)
		signal('room ' .. queue)
	end
end

-- The score of a running job is its token and, as a fraction, its place in the claim.
local function token_of(score)
	return score and string.format('%.0f', math.floor(tonumber(score)))
end

local function behind(token)
	return '(' .. string.format('%.0f', tonumber(token) + 1)
end

-- A unique key is { mode, scope, until, digest }; its owner is kept as "until;id".
local function owners(queue, key)
	return key[2] == 'HANDLER' and of(queue, 'unique') or base .. 'unique'
end

local function owner(queue, key)
	local held = call('HGET', owners(queue, key), key[4])
	if held then
		local till, id = string.match(held, '^(%-?%d*);(.*)$')
		if till == '' or tonumber(till) > now then
			return id
		end
	end
end

local function take(queue, id, key)
	if key[3] ~= '' and tonumber(key[3]) <= now then
		return true
	end
	local held = owner(queue, key)
	if held and held ~= id and call('HEXISTS', JOBS, held) == 1 then
		return false
	end
	call('HSET', owners(queue, key), key[4], key[3] .. ';' .. id)
	return true
end

local function free(queue, id, key)
	local held = call('HGET', owners(queue, key), key[4])
	if held and string.match(held, ';(.*)$') == id then
		call('HDEL', owners(queue, key), key[4])
	end
end

local function key_of(id)
	local text = call('HGET', KEYINFO, id)
	return text and fields(text, 4)
end
