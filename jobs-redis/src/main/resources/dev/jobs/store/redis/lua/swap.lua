-- Replaces a field of a hash if it is as expected.
--
-- KEYS[1]    hash of the jobs
-- ARGV[1]    now
-- ARGV[2]    name of the hash
-- ARGV[3]    field
-- ARGV[4]    value that is expected, or empty
-- ARGV[5]    new value, or empty to remove it
-- returns    value that was found, or empty
-- errors     a key of the wrong type

local hash, field = base .. ARGV[2], ARGV[3]
local found = call('HGET', hash, field) or ''
if found == ARGV[4] and ARGV[5] ~= '' then
	call('HSET', hash, field, ARGV[5])
elseif found == ARGV[4] then
	call('HDEL', hash, field)
end
return { found }
