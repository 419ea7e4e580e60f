-- Replaces the note that says in which partition the owner of a unique key across queues may be,
-- if the note is as expected.
--
-- KEYS[1]    hash of the jobs
-- ARGV[1]    now
-- ARGV[2]    digest of the key
-- ARGV[3]    note that is expected, or empty
-- ARGV[4]    new note, or empty to remove it
-- returns    note that was found, or empty
-- errors     a key of the wrong type

local found = call('HGET', base .. 'owners', ARGV[2]) or ''
if found == ARGV[3] and ARGV[4] ~= '' then
	call('HSET', base .. 'owners', ARGV[2], ARGV[4])
elseif found == ARGV[3] then
	call('HDEL', base .. 'owners', ARGV[2])
end
return { found }
