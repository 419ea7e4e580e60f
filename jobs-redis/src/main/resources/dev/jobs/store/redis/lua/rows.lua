-- Returns jobs that a page lists.
--
-- KEYS[1]    hash of the jobs
-- ARGV[1]    now
-- ARGV[2]    filter as fields, or empty
-- ARGV[3]    1 to get whole payloads
-- ARGV[4..]  for each job: queue, structure, id, score
-- returns    how many of these jobs were looked at, how many bytes were read, and rows of the jobs that still
--            exist and that the filter may select
-- errors     none

local ids = {}
for i = 6, #ARGV, 4 do
	ids[#ids + 1] = ARGV[i]
end
local some, rows = affordable(ids, ARGV[3] == '1')
return sift(rows, ARGV[2], some, ARGV[3] == '1', function(i)
	local at = i * 4
	return ARGV[at], ARGV[at + 1], ARGV[at + 3]
end)
