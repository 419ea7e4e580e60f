-- Lists entries of structures.
--
-- KEYS[1]  the hash of the jobs
-- ARGV     the present, 1 if the latest come first; then structures
-- returns  for each structure a list; of each entry id, score, and the order and the id by which
--          it is compared

local reply = {}
for i = 3, #ARGV, 6 do
	local source = source_at(i)
	reply[#reply + 1] = keyed_entries(source, source.from, source.to)
end
return reply
