-- Lists a slice of the ids of all jobs.
--
-- KEYS[1]  the hash of the jobs
-- ARGV     now, where to go on
-- returns  where to go on; the ids

local reply = call('HSCAN', JOBS, ARGV[2], 'COUNT', 500)
local ids = {}
for i = 1, #reply[2], 2 do
	ids[#ids + 1] = reply[2][i]
end
return { reply[1], ids }
