-- Notes in which partition the owner of a unique key across queues may be, if the note so
-- far is as expected.
--
-- KEYS[1]  the hash of the jobs
-- ARGV     now, digest, the note expected or nothing, the new note or nothing
-- returns  the note found, or nothing if there was none

local found = call('HGET', base .. 'owners', ARGV[2]) or ''
if found == ARGV[3] and ARGV[4] ~= '' then
	call('HSET', base .. 'owners', ARGV[2], ARGV[4])
elseif found == ARGV[3] then
	call('HDEL', base .. 'owners', ARGV[2])
end
return { found }
