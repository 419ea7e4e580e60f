-- Stores new jobs that are due and that no rule may keep out, all or, if any was stored
-- before, none. Its first write is refused by a full server.
--
-- KEYS[1]  the hash of the jobs
-- ARGV     now; number of jobs; id and record of each, queue by queue; then name
--          of each queue and number of its jobs
-- returns  1 if they were stored, 0 otherwise

-- A key that holds what it must not is named before anything is written: its queue may be a new
-- one, which nobody else looks at.
local function waiting_in(queue)
	local ready, skip = of(queue, 'ready'), of(queue, 'skip')
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

-- The record is written last: a call that fails before, if only for a missing permission, has
-- stored no job.
local function make_ready(queue, waiting, ...)
	if waiting <= 0 then
		call('HSETNX', QUEUES, queue, '0;-1')
		signal_ready(queue, ARGV[1])
	end
	call('RPUSH', of(queue, 'ready'), ...)
end

local many = tonumber(ARGV[2])
if many == 1 then
	local waiting = waiting_in(ARGV[5])
	if call('HEXISTS', JOBS, ARGV[3]) == 1 then
		return 0
	end
	make_ready(ARGV[5], waiting, ARGV[3])
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
	make_ready(ARGV[i], waiting[i], unpack(ids, from, to))
	from = to + 1
end
call('HSET', JOBS, unpack(ARGV, 3, first_queue - 1))
return 1
