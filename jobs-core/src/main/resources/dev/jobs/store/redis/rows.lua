-- Shows jobs.
--
-- KEYS[1]  the hash of the jobs
-- ARGV     the present; then for each job: queue, structure, id, score
-- returns  what is shown of those that are still there

local rows = {}
for i = 2, #ARGV, 4 do
	view(rows, ARGV[i], ARGV[i + 1], ARGV[i + 2], ARGV[i + 3])
end
return rows
