-- Shows jobs.
--
-- KEYS[1]  the hash of the jobs
-- ARGV     the present; then for each job: queue, structure, id, score
-- returns  what is shown of those that are still there

local rows, ids = {}, {}
for i = 4, #ARGV, 4 do
	ids[#ids + 1] = ARGV[i]
end
local records, trails = read('HMGET', JOBS, ids), read('HMGET', TRAIL, ids)
for i, id in ipairs(ids) do
	if records[i] then
		local at = i * 4 - 2
		view(rows, ARGV[at], ARGV[at + 1], id, ARGV[at + 3], records[i], trails[i])
	end
end
return rows
