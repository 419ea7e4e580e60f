-- Returns jobs that a page lists.
--
-- KEYS[1]    hash of the jobs
-- ARGV[1]    now
-- ARGV[2]    filter as fields, or empty
-- ARGV[3..]  for each job: queue, structure, id, score
-- returns    rows of those that still exist and that the filter may select
-- errors     none

local ids = {}
for i = 5, #ARGV, 4 do
	ids[#ids + 1] = ARGV[i]
end
return sift({}, ARGV[2], ids, function(i)
	local at = i * 4 - 1
	return ARGV[at], ARGV[at + 1], ARGV[at + 3]
end)
