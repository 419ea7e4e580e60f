-- Stores new jobs that may have a unique key or a bound on the length of their queue, each
-- fully or not at all. Its first write is refused by a full server.
--
-- KEYS[1]  the hash of the jobs
-- ARGV     the present; then for each job: id, queue, record, due time, maximum length,
--          what to do if its key is taken
-- returns  for each job: outcome, id, due time

local ids, reply, sound = {}, {}, {}
for i = 2, #ARGV, 6 do
	ids[#ids + 1] = ARGV[i]
end
for i, record in ipairs(read('HMGET', JOBS, ids)) do
	stored[ids[i]] = record
end
for i = 2, #ARGV, 6 do
	local queue = ARGV[i + 1]
	local fault = not sound[queue] and (fault_in(queue) or fault_of(base .. 'unique', 'hash'))
	if fault then
		error(fault, 0)
	end
	sound[queue] = true
	local at = #reply
	reply[at + 1], reply[at + 2], reply[at + 3] = add(i)
end
flush()
return reply
