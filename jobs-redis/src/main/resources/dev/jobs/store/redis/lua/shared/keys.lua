-- The beginning of every script. KEYS[1] is the hash of the jobs of a partition; all other keys
-- have the same hash tag and are named after it. It runs with each call, so it has only the parts that most
-- scripts need.
--
-- needs      nothing
-- KEYS[1]    hash of the jobs
-- ARGV[1]    now, in milliseconds
-- defines    call, JOBS, base, QUEUES, VERSION, DEFAULT_SETTINGS, of, each, require_hashes,
--            require_rare, fault_of, signal, signal_ready

local call = redis.call
local JOBS, base = KEYS[1], string.sub(KEYS[1], 1, -5)
local QUEUES, signalled = base .. 'queues', {}

-- The version of all stored formats, a letter at their beginning.
local VERSION = 'a'

-- The settings of a queue for which nothing was ever set.
local DEFAULT_SETTINGS = 'a1:00:0:2:-10:0:'

-- While a slot moves, its keys are on two nodes and a script that meets a missing one is aborted
-- half-way. EXISTS on two keys that never exist makes either node refuse before any write.
call('EXISTS', base, base .. ':')

-- The key of a part of a queue. PART.READY and all other parts are replaced by names such as 'ready' before
-- the script is sent: a local takes time in each call.
local function of(queue, part)
	return base .. 'q:' .. queue .. ':' .. part
end

-- Call a command with a list of any length; Lua passes at most a few thousand arguments.
local function each(command, key, list)
	local reply
	for from = 1, #list, 1000 do
		reply = call(command, key, unpack(list, from, math.min(from + 999, #list)))
	end
	return reply
end

-- The writes of a script stay if it fails later. So before its first write each script reads all keys that it
-- may write: a key of the wrong type fails it there.
local function require_hashes(...)
	for _, key in ipairs({ ... }) do
		call('HLEN', key)
	end
end

-- The same for keys that rarely exist. Returns whether one does.
local function require_rare(...)
	local are = call('EXISTS', ...) > 0
	if are then
		require_hashes(...)
	end
	return are
end

-- The fault of a key of the wrong type, and whether the key exists.
local function fault_of(key, kind)
	local found = call('TYPE', key)['ok']
	if found ~= kind and found ~= 'none' then
		return 'The key ' .. key .. ' holds a ' .. found .. ' where a ' .. kind .. ' must be', true
	end
	return nil, found == kind
end

-- Publish a hint after the writes, so that a server that forbids it stops nothing.
local function signal(text)
	if not signalled[text] then
		signalled[text] = true
		redis.pcall('PUBLISH', string.match(base, '^{(.*):[%d.]+}:$') .. ':signals', text)
	end
end

local function signal_ready(queue, at)
	signal('ready ' .. at .. ' ' .. queue)
end
