-- Returns the jobs that own unique keys.
--
-- KEYS[1]    hash of the jobs
-- ARGV[1]    now
-- ARGV[2..]  for each key: queue, or empty for a key across queues; digest
-- returns    rows of the jobs in this partition
-- errors     none

local rows = {}
for i = 2, #ARGV, 2 do
	local key = { '', ARGV[i] == '' and 'N' or 'H', '', ARGV[i + 1] }
	local id = not fault_of(owners(ARGV[i], key), 'hash') and owner(ARGV[i], key)
	local record = id and records_of(affordable({ id }))[1]
	if record then
		local queue = fields(record, 3)[3]
		if not fault_in(queue) then
			local part, score = place(queue, id)
			view(rows, queue, part, id, score or '', record, call('HGET', TRAIL, id))
		end
	end
end
return rows
