-- Counts the jobs of queues.
--
-- KEYS[1]    hash of the jobs
-- ARGV[1]    now
-- ARGV[2]    how many queues to skip
-- ARGV[3]    how many queues to count
-- ARGV[4]    the only queue to count, if given
-- returns    1 if there are more queues; for each queue: name, ready, scheduled, retrying, waiting for a thing,
--            running, dead, history, due time of the first ready job or empty, 1 if a live worker serves it,
--            its settings
-- errors     none

local names, last = ARGV[4] and { ARGV[4] } or call('HKEYS', QUEUES), ARGV[2] + ARGV[3]
local served, reply = served_queues(), { #names > last and 1 or 0 }

-- The due time of the first job in the ready list that is not skipped, mostly the first.
local function first_ready(queue, live)
	local from, size, skipped = 0, 1, {}
	while live > 0 do
		local ids = call('LRANGE', of(queue, PART.READY), from, from + size - 1)
		for _, id in ipairs(ids) do
			local record = call('HGET', JOBS, id)
			if not skipped[id] and call('SISMEMBER', of(queue, PART.SKIP), id) == 1 then
				skipped[id] = true
			elseif record then
				return due_of(id, record)
			end
		end
		from, size, live = from + size, 100, #ids
	end
	return ''
end

-- The earliest due time of the scheduled jobs, if it has passed.
local function first_due(queue, part, due)
	return due > 0 and call('ZRANGE', of(queue, part), 0, 0, 'WITHSCORES')[2] or ''
end

table.sort(names)
for i = ARGV[2] + 1, math.min(last, #names) do
	local queue = names[i]
	local meta = call('HGET', QUEUES, queue)
	if meta and not fault_in(queue) then
		local ready, laned = in_line(queue), call('ZCARD', of(queue, PART.LANED))
		local due = call('ZCOUNT', of(queue, PART.SCHEDULED), '-inf', ARGV[1])
		local due_retries = call('ZCOUNT', of(queue, PART.RETRY), '-inf', ARGV[1])
		local over = call('ZCOUNT', of(queue, PART.WAITING), '-inf', ARGV[1])
		local oldest = ''
		for _, at in ipairs({ first_ready(queue, ready), first_due(queue, PART.SCHEDULED, due),
				first_due(queue, PART.RETRY, due_retries), first_due(queue, PART.LANED, laned),
				first_due(queue, PART.WAITING, over) }) do
			if at ~= '' and (oldest == '' or tonumber(at) < tonumber(oldest)) then
				oldest = at
			end
		end
		for _, value in ipairs({ queue, ready + laned + due + due_retries + over,
				call('ZCARD', of(queue, PART.SCHEDULED)) - due, call('ZCARD', of(queue, PART.RETRY)) - due_retries,
				call('ZCARD', of(queue, PART.WAITING)) - over, call('ZCARD', of(queue, PART.RUNNING)),
				call('ZCARD', of(queue, PART.DEAD)), call('ZCARD', of(queue, PART.DONE)), oldest, served[queue] and 1 or 0 }) do
			reply[#reply + 1] = value
		end
		for _, value in ipairs(settings_of(meta)) do
			reply[#reply + 1] = value
		end
	end
end
return reply
