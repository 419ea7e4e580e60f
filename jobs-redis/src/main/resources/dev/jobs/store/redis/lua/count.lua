-- Counts jobs by the sizes of structures.
--
-- KEYS[1]    hash of the jobs
-- ARGV[1]    now
-- ARGV[2]    queue, or empty for all
-- ARGV[3..]  for each structure: name, least and greatest score or, of tags, member
-- returns    how many there are
-- errors     none

local count = 0
for _, queue in ipairs(ARGV[2] == '' and call('HKEYS', QUEUES) or { ARGV[2] }) do
	for i = 3, fault_in(queue) and 2 or #ARGV, 3 do
		local key = of(queue, ARGV[i])
		if ARGV[i] == PART.READY then
			count = count + math.max(in_line(queue), 0)
		elseif ARGV[i] == PART.TAGS then
			count = count + call('ZLEXCOUNT', key, ARGV[i + 1], ARGV[i + 2])
		else
			count = count + call('ZCOUNT', key, ARGV[i + 1], ARGV[i + 2])
		end
	end
end
return { count }
