-- Shows a job.
--
-- KEYS[1]  the hash of the jobs
-- ARGV     the present, id
-- returns  what is shown of it; nothing if there is none

local rows = {}
local record = call('HGET', JOBS, ARGV[2])
if record then
	local queue = fields(record, 3)[3]
	local part = place(queue, ARGV[2])
	view(rows, queue, part, ARGV[2], part ~= 'ready' and call('ZSCORE', of(queue, part), ARGV[2]) or '')
end
return rows
