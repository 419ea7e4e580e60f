-- Stores new jobs that are due and have no rules: all of them or, if one is stored already, none.
--
-- KEYS[1]    hash of the jobs
-- ARGV[1]    now
-- ARGV[2]    number of jobs
-- ARGV[3..]  for each job, queue by queue: id, record; then for each queue: name, number of its
--            jobs. With one job: ARGV[3] id, ARGV[4] record, ARGV[5] queue, ARGV[6] 1
-- returns    1 if they were stored, 0 if not
-- errors     a full server refuses the first write; a key of the wrong type

-- Report a key of the wrong type before anything is written: its queue may be new, and other checks may not
-- know it.
local function waiting_in(queue)
	local ready, skip = of(queue, PART.READY), of(queue, PART.SKIP)
	local length, skipped = redis.pcall('LLEN', ready), redis.pcall('SCARD', skip)
	if type(length) ~= 'number' or type(skipped) ~= 'number' then
		local fault = fault_of(ready, 'list') or fault_of(skip, 'set')
		if fault then
			error(fault, 0)
		end
		return call('LLEN', ready) - call('SCARD', skip)
	end
	return length - skipped
end

-- The record is written last: a call that fails before, for example for a missing permission, has stored no
-- job.
local function make_ready(queue, waiting, ids)
	if waiting <= 0 then
		call('HSETNX', QUEUES, queue, DEFAULT_SETTINGS)
	end
	enter(queue, ids, false, waiting <= 0)
end

local many = tonumber(ARGV[2])
if many == 1 then
	local waiting = waiting_in(ARGV[5])
	if call('HEXISTS', JOBS, ARGV[3]) == 1 then
		return 0
	end
	make_ready(ARGV[5], waiting, { ARGV[3] })
	call('HSET', JOBS, ARGV[3], ARGV[4])
	return 1
end
local ids, waiting, first_queue, from = {}, {}, 3 + 2 * many, 1
require_hashes(QUEUES)
for i = first_queue, #ARGV, 2 do
	waiting[i] = waiting_in(ARGV[i])
end
for n = 1, many do
	ids[n] = ARGV[2 * n + 1]
end
for _, stored in ipairs(call('HMGET', JOBS, unpack(ids))) do
	if stored then
		return 0
	end
end
for i = first_queue, #ARGV, 2 do
	local to = from + ARGV[i + 1] - 1
	make_ready(ARGV[i], waiting[i], { unpack(ids, from, to) })
	from = to + 1
end
call('HSET', JOBS, unpack(ARGV, 3, first_queue - 1))
return 1
