-- Shows jobs that a page lists.
--
-- KEYS[1]  the hash of the jobs
-- ARGV     now, a filter; then for each job: queue, structure, id, score
-- returns  what is shown of those that are still there and that the filter may select

local ids = {}
for i = 5, #ARGV, 4 do
	ids[#ids + 1] = ARGV[i]
end
return sift({}, ARGV[2], ids, function(i)
	local at = i * 4 - 1
	return ARGV[at], ARGV[at + 1], ARGV[at + 3]
end)
