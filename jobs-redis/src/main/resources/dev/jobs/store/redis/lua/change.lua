-- Applies changes of jobs, queues and schedules.
--
-- KEYS[1]    hash of the jobs
-- ARGV[1]    now
-- ARGV[2..]  for each change: name, job or queue, value, who makes it or what is put
-- returns    for each change: DONE, NOT_FOUND or REFUSED
-- errors     a key of the wrong type

local NOTES, MOST_NOTES = base .. 'notes', 1000
local SETTINGS, ENDS, UNTIL = base .. 'settings', base .. 'ends', base .. 'ends-until'
local MOST_LANES, MOST_RELEASED = 1000, 1000

local changes, reply = {}, {}

local function of_job(change)
	return function(id, value, who)
		local record = call('HGET', JOBS, id)
		if not record then
			return 'NOT_FOUND'
		end
		local queue = fields(record, 3)[3]
		local fault = fault_in(queue)
		if fault then
			error(fault, 0)
		end
		return change(queue, id, place(queue, id), value, record, who) or 'DONE'
	end
end

local function delete(queue, id, part)
	if part == PART.RUNNING then
		return 'REFUSED'
	end
	remove(queue, id, part)
	signal_room(queue)
end

changes.delete = of_job(delete)

changes.cancel = of_job(function(queue, id, part)
	if is_waiting(part) then
		return delete(queue, id, part)
	elseif part ~= PART.RUNNING then
		return 'REFUSED'
	end
	call('HSET', CANCELLATIONS, id, queue)
	local holder = call('HGET', TOKENS, token_of(call('ZSCORE', of(queue, part), id)) .. ':' .. queue)
	if holder then
		signal('cancelled ' .. fields(holder, 1)[1])
	end
end)

changes.reschedule = of_job(function(queue, id, part, due, record)
	if not is_waiting(part) or part == PART.WAITING and tonumber(due_of(id, record)) > now then
		return 'REFUSED'
	end
	move_to_wait(queue, id, part, due, trail_of(id))
end)

changes.retry = of_job(function(queue, id, part, _, record)
	local trail = trail_of(id)
	if part == PART.RUNNING or part == PART.DONE then
		return 'REFUSED'
	elseif part == PART.DEAD then
		local key = key_of(id)
		if key and key[1] ~= 'S' and not take(queue, id, key) then
			return 'REFUSED'
		end
		trail.attempt, trail.counters, trail.mark, trail.ending = '1', '', '', ''
	elseif part == PART.READY or tonumber(due_of(id, record)) <= now then
		return 'DONE'
	end
	move_to_wait(queue, id, part, ARGV[1], trail)
end)

changes['forget-saved'] = of_job(function(_, id, part, name)
	if part == PART.RUNNING then
		return 'REFUSED'
	end
	return call('HDEL', saved_of(id), name) == 0 and 'NOT_FOUND'
end)

changes['replace-payload'] = of_job(function(_, id, part, payload, record)
	local at = payload_in(record)
	if not is_waiting(part) or at == 1 then
		return 'REFUSED'
	end
	store_record(id, string.sub(record, 1, at - 1) .. payload)
	forget_saved(id)
end)

-- The headers that say where a job stands are first, behind its tags.
local FIRST = { ['jobs.tags'] = 1, ['jobs.lane'] = 2, ['jobs.urgency'] = 3 }

-- The last argument is the header that is set.
changes['set-standing'] = of_job(function(queue, id, part, value, record, header)
	if not is_waiting(part) or payload_in(record) == 1 then
		return 'REFUSED'
	end
	local head, at = fields(record, 5)
	local names, from = fields(record, 5 + 2 * number(head[5]))
	local headers, others = { '', '', '' }, {}
	headers[FIRST[header]] = value ~= '' and pack(header, value) or ''
	for i = 6, #names, 2 do
		local place = FIRST[names[i]]
		if not place then
			others[#others + 1] = pack(names[i], names[i + 1])
		elseif names[i] ~= header then
			headers[place] = pack(names[i], names[i + 1])
		end
	end
	local many = #others
	for i = 1, 3 do
		many = headers[i] ~= '' and many + 1 or many
	end
	local _, before = fields(record, 4)
	stand(queue, id, part, record, string.sub(record, 1, before - 1) .. pack(tostring(many)) .. table.concat(headers)
			.. table.concat(others) .. string.sub(record, from))
end)

-- Change some of the settings of a queue: the values that begin with a field.
local function set(queue, field, ...)
	local settings = { unpack(settings_of(call('HGET', QUEUES, queue))) }
	settings[1] = string.format('%.0f', settings[1] + 1)
	for i, value in ipairs({ ... }) do
		settings[field + i - 1] = value
	end
	call('HSET', QUEUES, queue, packed_with_version(unpack(settings)))
	return 'DONE'
end

function changes.pause(queue, _, who)
	signal('restricted ' .. queue)
	return set(queue, 2, ARGV[1], who)
end

function changes.resume(queue)
	if call('HEXISTS', QUEUES, queue) == 0 then
		return 'NOT_FOUND'
	end
	if not fault_in(queue) then
		gates().let_go(queue)
	end
	signal_ready(queue, ARGV[1])
	return set(queue, 2, '', '')
end

function changes.limit(queue, limit, who)
	if tonumber(limit) < -1 then
		return 'REFUSED'
	end
	signal('restricted ' .. queue)
	signal_ready(queue, ARGV[1])
	return set(queue, 4, limit, ARGV[1], who)
end

-- The value is a rule, a lane and a number, or nothing to remove the rule.
changes['set-lane'] = function(queue, what, who)
	local rule, lane, value = unpack((netstrings(what, 3)))
	local fault, key, at = fault_in(queue), of(queue, PART.LANESETTINGS), rule == 'LIMIT' and 3 or 1
	if fault then
		error(fault, 0)
	end
	local stored = call('HGET', key, lane)
	local set = lane_settings(stored)
	if value == '' and set[at] == '' then
		return 'NOT_FOUND'
	elseif value ~= '' and tonumber(value) < 1 or not stored and call('HLEN', key) >= MOST_LANES then
		return 'REFUSED'
	end
	call('HSETNX', QUEUES, queue, DEFAULT_SETTINGS)
	if rule == 'LIMIT' then
		set[3], set[4], set[5] = value, value ~= '' and ARGV[1] or '', value ~= '' and who or ''
	else
		set[1], set[2] = value ~= '' and ARGV[1] or '', value ~= '' and who or ''
	end
	if set[1] == '' and set[3] == '' then
		call('HDEL', key, lane)
	else
		call('HSET', key, lane, packed_with_version(unpack(set)))
	end
	if first_in(queue, lane) then
		call('ZADD', of(queue, PART.LANES), 0, lane)
	end
	signal('restricted ' .. queue)
	signal_ready(queue, ARGV[1])
	return 'DONE'
end

-- What was now some time ago.
local function before(offset)
	return string.format('%.0f', now - tonumber(offset))
end

changes['pause-schedule'] = function(_, name)
	call('HSET', SCHEDULES, pause_of(name), PAUSE)
	return 'DONE'
end

changes['resume-schedule'] = function(_, name, offset)
	if call('HDEL', SCHEDULES, pause_of(name)) == 0 then
		return 'NOT_FOUND'
	end
	local known, from = find_schedule(name), before(offset)
	if known and tonumber(known[3]) < tonumber(from) then
		known[3], known[5], known[6], known[7], known[8] = from, '', '', '', ''
		store_schedule(name, known)
	end
	return 'DONE'
end

changes['put-schedule'] = function(queue, name, what)
	local definition, version, next, offset, spec = unpack((netstrings(what, 5)))
	local known, from = find_schedule(name), before(offset)
	if known and known[10] == version then
		return 'UNCHANGED'
	elseif known and known[2] ~= queue then
		return 'REFUSED'
	end
	local put = known or { definition, queue, from, ARGV[1], '', '', '', '', '', '', '', '' }
	if known and known[10] == '' then
		put[12] = known[1]
	end
	become(put, definition, queue, from)
	put[10], put[11] = version, next
	store_schedule(name, put)
	call('HSET', SPECS, name, spec)
	if next ~= '' then
		signal('ticks ' .. next)
	end
	return known and 'DONE' or 'NEW'
end

changes['drop-schedule'] = function(_, name)
	local known = find_schedule(name)
	if not known then
		return 'NOT_FOUND'
	elseif known[10] == '' then
		return 'REFUSED'
	end
	local replaces = known[12]
	forget_put(name, known)
	call('HDEL', SCHEDULES, name, pause_of(name))
	if replaces ~= '' then
		become(known, replaces, known[2], ARGV[1])
		store_schedule(name, known)
	end
	return 'DONE'
end

-- The first end of a thing is kept until its time is over, or forgotten.
changes['keep-end'] = function(thing, text)
	local known = call('HGET', ENDS, thing)
	known = known and number(fields(known, 1)[1]) > now
	if text == '' then
		call('HDEL', ENDS, thing)
		call('ZREM', UNTIL, thing)
		return known and 'DONE' or 'NOT_FOUND'
	elseif known then
		return 'REFUSED'
	end
	call('HSET', ENDS, thing, text)
	call('ZADD', UNTIL, fields(text, 1)[1], thing)
	signal('ended ' .. pack(thing))
	return 'DONE'
end

-- Make jobs that wait for a thing ready, each with its due time before.
local function put_in_front(queue, jobs)
	table.sort(jobs, function(a, b) return a.at > b.at or a.at == b.at and a.id > b.id end)
	local ids = {}
	for i, job in ipairs(jobs) do
		local trail = trail_of(job.id)
		trail.due, ids[i] = ARGV[1], job.id
		store_trail(job.id, trail)
		leave(queue, job.id, PART.WAITING)
	end
	arrive(queue, ids, true, true)
end

-- An entry counts only if its job still waits, and for this thing. Those of a queue with a fault stay.
function changes.release(thing)
	local from, jobs, over, many, sound = pack(thing), {}, {}, 0, {}
	local found = call('ZRANGEBYLEX', WAITERS, '[' .. from, '(' .. from .. ':', 'LIMIT', 0, MOST_RELEASED)
	for _, waiter in ipairs(found) do
		local _, queue, id = unpack((netstrings(waiter, 3)))
		if sound[queue] == nil then
			sound[queue] = not fault_in(queue)
		end
		if sound[queue] then
			local at = call('ZSCORE', of(queue, PART.WAITING), id)
			over[#over + 1] = waiter
			if at and waiter_of(queue, id) == waiter then
				append(jobs, queue, { id = id, at = tonumber(at) })
				many = many + 1
			end
		end
	end
	each('ZREM', WAITERS, over)
	for queue, some in pairs(jobs) do
		put_in_front(queue, some)
	end
	return many == 0 and (#found < MOST_RELEASED or #over == 0) and 'NOT_FOUND' or 'DONE'
end

-- A note with a known id is a repeat: its reply got lost, or another worker keeps it too.
changes['keep-note'] = function(id, text)
	local begin = packed_with_version(id)
	for _, note in ipairs(call('ZRANGE', NOTES, 0, -1)) do
		if string.sub(note, 1, #begin) == begin then
			return 'DONE'
		end
	end
	call('ZADD', NOTES, ARGV[1], packed_with_version(id, text))
	for _, old in ipairs(call('ZRANGE', NOTES, 0, -1 - MOST_NOTES)) do
		call('ZREM', NOTES, old)
	end
	return 'DONE'
end

-- The field without a name is the revision of all settings for workers. It is never below the time, so that a
-- server that takes over without the latest changes does not repeat one.
local function raise_revision()
	local next = number(call('HGET', SETTINGS, '')) + 1
	call('HSET', SETTINGS, '', string.format('%.0f', math.max(next, number(ARGV[1]))))
end

-- The argument is a plus and the value, or a minus.
function changes.set(name, value, who)
	if value ~= '-' then
		call('HSET', SETTINGS, name, packed_with_version(ARGV[1], who, string.sub(value, 2)))
	elseif call('HDEL', SETTINGS, name) == 0 then
		return 'NOT_FOUND'
	end
	raise_revision()
	signal('set ')
	return 'DONE'
end

-- The last argument is a plus if workers are to look, or a minus, and the new value.
function changes.swap(name, expected, value)
	local found = call('HGET', SETTINGS, name)
	if not found then
		return 'NOT_FOUND'
	end
	local _, who, before = unpack((fields(found, 3)))
	if before ~= expected then
		return 'REFUSED'
	end
	call('HSET', SETTINGS, name, packed_with_version(ARGV[1], who, string.sub(value, 2)))
	if string.sub(value, 1, 1) == '+' then
		raise_revision()
		signal('set ')
	end
	return 'DONE'
end

local function remove_all_settings()
	for _, name in ipairs(call('HKEYS', SETTINGS)) do
		if name ~= '' then
			call('HDEL', SETTINGS, name)
			raise_revision()
		end
	end
end

local function forget_queue(queue)
	for _, parts in ipairs({ COMMON, RARE }) do
		for i = 1, #parts, 2 do
			call('UNLINK', of(queue, parts[i]))
		end
	end
	call('HDEL', QUEUES, queue)
	call('HDEL', WAITS, 'length:' .. queue, 'limit:' .. queue)
end

function changes.purge()
	for _, queue in ipairs(call('HKEYS', QUEUES)) do
		if call('HEXISTS', WAITS, 'length:' .. queue) == 1 then
			signal('room ' .. queue)
		end
		forget_queue(queue)
	end
	for _, worker in ipairs(call('ZRANGE', LEASES, 0, -1)) do
		call('DEL', held_by(worker))
	end
	for _, worker in ipairs(call('ZRANGEBYSCORE', LEASES, '-inf', '(' .. ARGV[1])) do
		forget(worker)
	end
	for _, minutes in ipairs({ 1, 10 }) do
		for _, start in ipairs(call('ZRANGE', starts_of(minutes), 0, -1)) do
			call('UNLINK', tallies_of(minutes, start))
		end
		call('UNLINK', starts_of(minutes))
	end
	for _, id in ipairs(call('HKEYS', SAVERS)) do
		call('UNLINK', saved_of(id))
	end
	call('UNLINK', JOBS, TRAIL, PREVIEWS, SAVERS, WAITS, PROGRESS, CANCELLATIONS, TOKENS, ACROSS_QUEUES,
			base .. 'owners', SCHEDULES, SPECS, TICKS, NOTES, ENDS, UNTIL, WAITERS)
	remove_all_settings()
	return 'DONE'
end

-- Only these changes need the schedules.
local OF_SCHEDULES = { ['pause-schedule'] = true, ['resume-schedule'] = true, ['put-schedule'] = true,
		['drop-schedule'] = true, purge = true }

require_hashes(JOBS, TRAIL, PREVIEWS, SAVERS, QUEUES, TOKENS, WORKERS, REPORTED, PROGRESS, CANCELLATIONS, ACROSS_QUEUES,
		ENDS)
for i = 2, #ARGV, 4 do
	if OF_SCHEDULES[ARGV[i]] then
		require_hashes(SCHEDULES, SPECS)
		call('ZCARD', TICKS)
	end
end
call('ZCARD', LEASES)
call('ZCARD', UNTIL)
call('ZCARD', WAITERS)
write_though_full()
for i = 2, #ARGV, 4 do
	reply[#reply + 1] = changes[ARGV[i]](ARGV[i + 1], ARGV[i + 2], ARGV[i + 3])
end
return reply
