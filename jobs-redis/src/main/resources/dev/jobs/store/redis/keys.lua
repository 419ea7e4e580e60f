-- What every script begins with. KEYS[1] is the hash of the jobs of a partition; all other
-- keys have the same hash tag and are named after it. ARGV[1] is always the present in
-- milliseconds. All of this is done anew with each call, so here is what all scripts need.

local call = redis.call
local JOBS, base = KEYS[1], string.sub(KEYS[1], 1, -5)
local QUEUES, told = base .. 'queues', {}

-- While a slot moves, its keys are on two nodes and a script that meets a missing one is
-- cut off in the midst. Two keys that never are make either node refuse before any write.
call('EXISTS', base, base .. ':')

local function of(queue, part)
	return base .. 'q:' .. queue .. ':' .. part
end

-- What a script has written stays when it fails later. So each reads, before its first write,
-- all keys that it may write: one that holds what it must not fails it there.
local function require_hashes(...)
	for _, key in ipairs({ ... }) do
		call('HLEN', key)
	end
end

-- As that, for keys that mostly are not there. Replies whether one is.
local function require_rare(...)
	local are = call('EXISTS', ...) > 0
	if are then
		require_hashes(...)
	end
	return are
end

-- What is wrong with a key that holds what it must not.
local function fault_of(key, kind)
	local found = call('TYPE', key)['ok']
	if found ~= kind and found ~= 'none' then
		return 'The key ' .. key .. ' holds a ' .. found .. ' where a ' .. kind .. ' must be'
	end
end

-- A signal is a hint, and comes after the writes: a server that does not allow it stops nothing.
local function signal(text)
	if not told[text] then
		told[text] = true
		redis.pcall('PUBLISH', string.match(base, '^{(.*):[%d.]+}:$') .. ':signals', text)
	end
end

local function signal_ready(queue, at)
	signal('ready ' .. at .. ' ' .. queue)
end
