-- Moves jobs between the parts of their queue.
--
-- needs      keys, names, line, fields, lanes, waiting, unique, tags
-- defines    put_trail, trail_of, store_trail, is_waiting, move_to_wait, forget_saved, remove

-- A trail is its version, the due time, if it differs from the record's, then the attempt, counters, mark and
-- end, and the attempts. The mark says whether the job was cancelled, then since when it waits and for what.
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

local function is_waiting(part)
	return part == PART.READY or part == PART.SCHEDULED or part == PART.RETRY or part == PART.LANED
			or part == PART.WAITING
end

local function move_to_wait(queue, id, part, due, trail)
	local keeps_place = part == PART.READY and tonumber(due) <= now
	if not keeps_place and depart(queue, id, part) then
		keep_lane(queue, id, call('HGET', JOBS, id))
	end
	trail.due = due
	store_trail(id, trail)
	if not keeps_place then
		wait(queue, id, due, trail.attempt)
	end
end

local function forget_saved(id)
	if call('HDEL', SAVERS, id) == 1 then
		call('UNLINK', saved_of(id))
	end
end

local function remove(queue, id, part)
	depart(queue, id, part)
	local record = has_marks(queue) and call('HGET', JOBS, id)
	if record then
		unmark(queue, id, record)
	end
	call('HDEL', JOBS, id)
	call('HDEL', TRAIL, id)
	call('HDEL', PREVIEWS, id)
	forget_saved(id)
end
