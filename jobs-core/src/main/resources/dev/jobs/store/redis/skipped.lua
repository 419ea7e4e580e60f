-- Finds the entries of a part of a ready list that may have to be skipped when they are popped.
--
-- KEYS[1]  the hash of the jobs
-- ARGV     the present, 1 if the latest come first, a structure
-- returns  for each its number, and its id if there is another of the same job, which is ready

local source, reply = source_at(3), {}
local listed, ids = entries(source, source.from, source.to), {}
for i = 1, #listed, 2 do
	ids[#ids + 1] = listed[i]
end
for i, skipped in ipairs(read('SMISMEMBER', of(source.queue, 'skip'), ids)) do
	if skipped == 1 then
		local is_ready = call('HEXISTS', JOBS, ids[i]) == 1 and place(source.queue, ids[i]) == 'ready'
		reply[#reply + 1], reply[#reply + 2] = source.from + i - 1, is_ready and ids[i] or ''
	end
end
return reply
