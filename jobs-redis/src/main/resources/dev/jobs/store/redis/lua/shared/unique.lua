-- The owners of unique keys. A key is { mode, scope, until, digest }, kept in the record of each job
-- that has one as "DH;digest", with the time before the semicolon; its owner is kept as "auntil;id".
-- Modes are S, D and R for until started, done and removed, scopes H and N for handler and
-- namespace.
--
-- needs      keys, names, fields
-- defines    OWNER, owners, has_keys, key_in, key_of, owner, take, free

-- The version, the end of the ownership, and the owner's id.
local OWNER = '^a(%-?%d*);(.*)$'

local function owners(queue, key)
	return key[2] == 'H' and of(queue, PART.UNIQUE) or ACROSS_QUEUES
end

-- Whether jobs of a queue may own a key at all.
local function has_keys(queue)
	return call('EXISTS', of(queue, PART.UNIQUE), ACROSS_QUEUES) > 0
end

local function key_in(record)
	local key = { string.match(record and fields(record, 4)[4] or '', '^(%u)(%u)(%-?%d*);(.*)$') }
	return key[4] and key
end

local function key_of(id)
	return key_in(call('HGET', JOBS, id))
end

local function owner(queue, key)
	local held = call('HGET', owners(queue, key), key[4])
	if held then
		local till, id = string.match(held, OWNER)
		if id and (till == '' or number(till) > now) then
			return id
		end
	end
end

local function take(queue, id, key)
	if key[3] ~= '' and number(key[3]) <= now then
		return true
	end
	local held = owner(queue, key)
	if held and held ~= id and call('HEXISTS', JOBS, held) == 1 then
		return false
	end
	call('HSET', owners(queue, key), key[4], VERSION .. key[3] .. ';' .. id)
	return true
end

local function free(queue, id, key)
	local held = call('HGET', owners(queue, key), key[4])
	if held and select(2, string.match(held, OWNER)) == id then
		call('HDEL', owners(queue, key), key[4])
	end
end
