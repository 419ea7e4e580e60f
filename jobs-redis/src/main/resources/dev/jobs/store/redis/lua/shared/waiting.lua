-- The waiting jobs of a queue: in line, in lanes, or before that by due time.
--
-- needs      keys, names, line, fields, lanes
-- defines    TIMED, DELAYED, COUNTED, jobs_in, add_scheduled, wait, signal_room

local TIMED = { PART.SCHEDULED, PART.RETRY }
local DELAYED = { PART.SCHEDULED, PART.RETRY, PART.WAITING }

-- The parts that count for the length of a queue, beside the line.
local COUNTED = { PART.SCHEDULED, PART.RETRY, PART.LANED }

-- How many jobs of a queue are in line or in other parts.
local function jobs_in(queue, parts)
	local many = in_line(queue)
	for _, part in ipairs(parts) do
		many = many + call('ZCARD', of(queue, part))
	end
	return many
end

-- Add jobs given as due, id, due, id ... and signal if one is due before all others.
local function add_scheduled(queue, part, scored)
	local first, least = math.huge, 1
	for _, other in ipairs(part == PART.WAITING and DELAYED or TIMED) do
		local head = call('ZRANGE', of(queue, other), 0, 0, 'WITHSCORES')
		first = math.min(first, tonumber(head[2] or math.huge))
	end
	for i = 3, #scored, 2 do
		least = tonumber(scored[i]) < tonumber(scored[least]) and i or least
	end
	each('ZADD', of(queue, part), scored)
	if tonumber(scored[least]) < first then
		signal_ready(queue, scored[least])
	end
end

-- Put a job, which may be due already, where it waits. Jobs tried before have a part of their own.
local function wait(queue, id, due, attempt)
	if tonumber(due) <= now then
		arrive(queue, { id })
	else
		add_scheduled(queue, number(attempt) > 1 and PART.RETRY or PART.SCHEDULED, { due, id })
	end
end

-- Signal room in a queue that was too long for a job.
local function signal_room(queue)
	local refused = call('HGET', WAITS, 'length:' .. queue)
	if refused and jobs_in(queue, COUNTED) < number(refused) then
		call('HDEL', WAITS, 'length:' .. queue)
		signal('room ' .. queue)
	end
end
