-- Makes jobs ready that are in no structure.
--
-- KEYS[1]    hash of the jobs
-- ARGV[1]    now
-- ARGV[2..]  ids, few enough to search the ready list for each
-- returns    queue of each job that was made ready
-- errors     a key of the wrong type

local reply = {}
require_hashes(JOBS, TRAIL, QUEUES)
write_though_full()
for i = 2, #ARGV do
	local record = call('HGET', JOBS, ARGV[i])
	local queue = record and fields(record, 3)[3]
	if queue and queue ~= '' and not fault_in(queue) and place(queue, ARGV[i]) == PART.READY
			and not call('LPOS', of(queue, PART.READY), ARGV[i]) then
		call('HSETNX', QUEUES, queue, DEFAULT_SETTINGS)
		wait(queue, ARGV[i], due_of(ARGV[i], record))
		reply[#reply + 1] = queue
	end
end
return reply
