-- Lists entries of structures.
--
-- KEYS[1]  the hash of the jobs
-- ARGV     the present, 1 if the latest come first, 1 if their keys are wanted; then structures
-- returns  for each structure how many; for each of these id, score and, if wanted, the order
--          and the id by which it is compared

local reply, with_keys = {}, ARGV[3] == '1'
for i = 4, #ARGV, 6 do
	local source = source_at(i)
	local listed = entries(source, source.from, source.to)
	reply[#reply + 1] = #listed / 2
	for n = 1, #listed, 2 do
		reply[#reply + 1], reply[#reply + 2] = listed[n], listed[n + 1]
		if with_keys then
			local order, id = key_of_entry(source, source.from + (n - 1) / 2, listed[n], listed[n + 1])
			reply[#reply + 1], reply[#reply + 2] = string.format('%.0f', order), id
		end
	end
end
return reply
