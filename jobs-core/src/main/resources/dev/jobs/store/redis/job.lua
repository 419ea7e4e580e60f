-- Shows jobs.
--
-- KEYS[1]  the hash of the jobs
-- ARGV     the present; ids
-- returns  what is shown of those that there are

local rows, ids = {}, {}
for i = 2, #ARGV do
	ids[i - 1] = ARGV[i]
end
local records, trails = read('HMGET', JOBS, ids), read('HMGET', TRAIL, ids)
for i, id in ipairs(ids) do
	if records[i] then
		local queue = fields(records[i], 3)[3]
		local part, score = place(queue, id)
		view(rows, queue, part, id, score or '', records[i], trails[i])
	end
end
return rows
