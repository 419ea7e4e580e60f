-- Shows jobs.
--
-- KEYS[1]  the hash of the jobs
-- ARGV     the present; ids
-- returns  what is shown of those that there are

local rows = {}
for i = 2, #ARGV do
	local id = ARGV[i]
	local record = call('HGET', JOBS, id)
	if record then
		local queue = fields(record, 3)[3]
		local part = place(queue, id)
		view(rows, queue, part, id, part ~= 'ready' and call('ZSCORE', of(queue, part), id) or '')
	end
end
return rows
