-- Lists entries of structures.
--
-- KEYS[1]  the hash of the jobs
-- ARGV     the present, 1 if the latest come first, 1 if their keys are wanted; then structures
-- returns  for each structure a list; of each entry id, score and, if wanted, the order and the id
--          by which it is compared

local reply, list = {}, ARGV[3] == '1' and keyed_entries or entries
for i = 4, #ARGV, 6 do
	local source = source_at(i)
	reply[#reply + 1] = list(source, source.from, source.to)
end
return reply
