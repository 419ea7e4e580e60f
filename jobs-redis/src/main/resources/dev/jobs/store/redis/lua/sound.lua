-- Checks the types of the keys, and whether the server takes new jobs.
--
-- KEYS[1]    hash of the jobs
-- ARGV[1]    now
-- ARGV[2]    1 to check also the kinds of keys that may be many
-- returns    for each fault: 1 if it stops work or 0, text
-- errors     none

-- A full server refuses this like the first write of an enqueue; it writes nothing.
local tried = redis.pcall('SETRANGE', base .. 'nothing', 0, '')
local texts = look_at_keys(ARGV[2] == '1')
if type(tried) == 'table' and string.find(tried['err'], 'OOM ', 1, true) then
	texts[#texts + 1] = '1'
	texts[#texts + 1] = 'The Redis server has reached its maxmemory and refuses all new jobs until there is room'
end
return texts
