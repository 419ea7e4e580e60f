-- Returns a part of the ids of all jobs.
--
-- KEYS[1]    hash of the jobs
-- ARGV[1]    now
-- ARGV[2]    cursor
-- returns    next cursor; ids
-- errors     none

local reply = call('HSCAN', JOBS, ARGV[2], 'COUNT', 500)
local ids = {}
for i = 1, #reply[2], 2 do
	ids[#ids + 1] = reply[2][i]
end
return { reply[1], ids }
