-- Shows the jobs of structures.
--
-- KEYS[1]  the hash of the jobs
-- ARGV     the present, 1 if the latest come first, a filter; then structures
-- returns  what is shown of those that the filter may select

local rows = {}
for i = 4, #ARGV, 6 do
	local source, ids = source_at(i), {}
	local listed = entries(source, source.from, source.to)
	for at = 1, #listed, 2 do
		ids[#ids + 1] = listed[at]
	end
	sift(rows, ARGV[3], ids, function(at)
		return source.queue, source.part, listed[at * 2]
	end)
end
return rows
