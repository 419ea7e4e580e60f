-- How a job moves between the structures of its queue.
--
-- needs      keys, names, fields, unique, tags
-- defines    put_trail, trail_of, store_trail, place, is_waiting, leave, move_to_wait, remove

-- A trail is its version, the due time, if it is not that of the record, then the attempt, counters,
-- mark and end, and the attempts.
local EMPTY_TRAIL = pack('1', '', '', '')

local function put_trail(id, due, text)
	if due == '' and text == '' then
		call('HDEL', TRAIL, id)
	else
		call('HSET', TRAIL, id, packed_with_version(due) .. (text == '' and EMPTY_TRAIL or text))
	end
end

local function trail_of(id)
	local trail = call('HGET', TRAIL, id) or packed_with_version('') .. EMPTY_TRAIL
	local head, at = fields(trail, 5)
	return { due = head[1], attempt = head[2], counters = head[3], mark = head[4], ending = head[5],
			attempts = string.sub(trail, at) }
end

local function store_trail(id, trail)
	put_trail(id, trail.due, pack(trail.attempt, trail.counters, trail.mark, trail.ending) .. trail.attempts)
end

-- The structure that a stored job is in, and its score there.
local function place(queue, id)
	for _, part in ipairs({ PART.RUNNING, PART.DEAD, PART.DONE, PART.SCHEDULED, PART.RETRY }) do
		local score = call('ZSCORE', of(queue, part), id)
		if score then
			return part, score
		end
	end
	return PART.READY
end

local function is_waiting(part)
	return part == PART.READY or part == PART.SCHEDULED or part == PART.RETRY
end

-- A job that leaves the ready list stays in it, to be skipped when it is popped. If an
-- older entry of it is to be skipped already, that one goes, so each is there once.
local function leave(queue, id, part)
	if part ~= PART.READY then
		call('ZREM', of(queue, part), id)
		return
	end
	local ready, skip = of(queue, PART.READY), of(queue, PART.SKIP)
	if call('SADD', skip, id) == 0 then
		call('LREM', ready, 1, id)
	end
end

local function move_to_wait(queue, id, part, due, trail)
	local keeps_place = part == PART.READY and tonumber(due) <= now
	if not keeps_place then
		leave(queue, id, part)
	end
	trail.due = due
	store_trail(id, trail)
	if tonumber(due) > now then
		add_scheduled(queue, number(trail.attempt) > 1 and PART.RETRY or PART.SCHEDULED, { due, id })
	elseif not keeps_place then
		add_ready(queue, { id })
	end
end

local function remove(queue, id, part)
	leave(queue, id, part)
	local record = has_marks(queue) and call('HGET', JOBS, id)
	if record then
		unmark(queue, id, record)
	end
	call('HDEL', JOBS, id)
	call('HDEL', TRAIL, id)
	call('HDEL', PREVIEWS, id)
end
