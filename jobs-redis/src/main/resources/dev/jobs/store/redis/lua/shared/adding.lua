-- Adds jobs that a rule may refuse. Plain ones are collected and written together.
--
-- needs      keys, names, line, fields, lanes, waiting, unique, tags, places, moves, previews, standing
-- ARGV[..]   for each job: id, queue, record, due time, maximum length of the queue or 0, what to
--            do if its key is taken; behind that, with a space, the end of its throttle, a semicolon and its key
-- defines    stored, flush, add, require_sound, require_namespace, add_all

local stored, added = {}, {}
local records, previews, ready, laned, scheduled

local function gather()
	records, previews, ready, laned, scheduled = {}, {}, {}, {}, {}
end

-- The records are written last: a call that fails before has stored no job.
local function flush()
	for queue, ids in pairs(ready) do
		call('HSETNX', QUEUES, queue, DEFAULT_SETTINGS)
		enter(queue, ids)
	end
	for queue, entries in pairs(laned) do
		call('HSETNX', QUEUES, queue, DEFAULT_SETTINGS)
		enter_lanes(queue, entries)
	end
	for queue, scored in pairs(scheduled) do
		call('HSETNX', QUEUES, queue, DEFAULT_SETTINGS)
		add_scheduled(queue, PART.SCHEDULED, scored)
	end
	each('HSET', PREVIEWS, previews)
	each('HSET', JOBS, records)
	gather()
end

-- Change the owner of a unique key by the rule for duplicates.
local function update(owning, i)
	local queue, other, due, rule = ARGV[i + 1], ARGV[i + 2], ARGV[i + 3], string.match(ARGV[i + 5], '^%a*')
	local old = call('HGET', JOBS, owning)
	local record = old
	local head, body = fields(record, 4)
	local part = head[3] == queue and place(queue, owning)
	if rule == 'keep' or not part or not is_waiting(part) then
		return 'duplicate', owning, due_of(owning, record)
	end
	local _, from = fields(other, 4)
	record = string.sub(record, 1, body - 1) .. string.sub(other, from)
	part = stand(queue, owning, part, old, record)
	untag(queue, owning, old)
	tag(queue, owning, record)
	forget_saved(owning)
	if rule == 'replace' then
		return 'replaced', owning, due_of(owning, record)
	end
	local till = rule == 'debounce' and key_in(record)[3] or ''
	due = till ~= '' and tonumber(till) < tonumber(due) and till or due
	move_to_wait(queue, owning, part, due, trail_of(owning))
	return 'rescheduled', owning, due
end

-- The bounds are those of the queue and, after a comma, of the lane. Who waits for room in a lane is woken
-- by any job that leaves the queue.
local function is_full(queue, bounds, record)
	flush()
	local max, in_lane = string.match(bounds, '^(%d+),?(%d*)$')
	local lane = in_lane ~= '' and lane_in(record)
	local from, to = within(lane or '')
	local too_long = max ~= '0' and jobs_in(queue, COUNTED) >= tonumber(max)
	if lane and call('ZLEXCOUNT', of(queue, PART.LINES), from, to) >= tonumber(in_lane) then
		too_long, max = true, 2 ^ 31
	end
	if not too_long then
		return false
	end
	local refused = call('HGET', WAITS, 'length:' .. queue) or 0
	call('HSET', WAITS, 'length:' .. queue, string.format('%.0f', math.max(number(refused), tonumber(max))))
	return true
end

-- Add the job whose six arguments begin at an index: id, queue, record, due time, maximum
-- length, what to do if its key is taken. Returns the outcome, the id and the due time.
local function add(i)
	local id, queue, record, due, max = ARGV[i], ARGV[i + 1], ARGV[i + 2], ARGV[i + 3], ARGV[i + 4]
	if added[id] then
		flush()
		stored[id] = call('HGET', JOBS, id)
	end
	if stored[id] then
		return 'new', id, due_of(id, stored[id])
	end
	local till, name = string.match(ARGV[i + 5], ' (%d+);(.*)$')
	local window = till and { string.match(call('HGET', of(queue, PART.THROTTLES), name) or '', OWNER) }
	if window and window[2] and number(window[1]) > now then
		return 'duplicate', window[2], window[1]
	end
	local key = key_in(record)
	local owning = key and owner(queue, key)
	if owning and (added[owning] or call('HEXISTS', JOBS, owning) == 1) then
		flush()
		return update(owning, i)
	end
	if max ~= '0' and is_full(queue, max, record) then
		return 'full', id, due
	end
	added[id] = true
	records[#records + 1] = id
	records[#records + 1] = record
	local preview = preview_of(record)
	if preview then
		previews[#previews + 1] = id
		previews[#previews + 1] = preview
	end
	if till then
		call('HSET', of(queue, PART.THROTTLES), name, VERSION .. till .. ';' .. id)
	end
	if key then
		take(queue, id, key)
	end
	tag(queue, id, record)
	local lane, urgency = standing_in(record)
	if lane and tonumber(due) <= now then
		append(laned, queue, lane)
		append(laned, queue, urgency)
		append(laned, queue, id)
		append(laned, queue, due)
	elseif tonumber(due) <= now then
		append(ready, queue, id)
	else
		if lane then
			know_lanes(queue)
		end
		append(scheduled, queue, due)
		append(scheduled, queue, id)
	end
	return 'new', id, due
end

-- Fail before anything is written if a key of a queue, or a shared key, has the wrong type.
local function require_sound(queue)
	local fault = fault_in(queue)
	if fault then
		error(fault, 0)
	end
end

local function require_namespace()
	require_hashes(JOBS, QUEUES)
	require_rare(TRAIL, WAITS, PREVIEWS, SAVERS, ACROSS_QUEUES)
end

-- Add the jobs whose arguments begin at an index. Returns the outcome, id and due time of each.
local function add_all(first)
	local ids, reply, sound = {}, {}, {}
	for i = first, #ARGV, 6 do
		ids[#ids + 1] = ARGV[i]
	end
	for i, record in ipairs(read('HMGET', JOBS, ids)) do
		stored[ids[i]] = record or stored[ids[i]]
	end
	require_namespace()
	for i = first, #ARGV, 6 do
		local queue = ARGV[i + 1]
		if not sound[queue] then
			require_sound(queue)
			sound[queue] = true
		end
	end
	for i = first, #ARGV, 6 do
		local at = #reply
		reply[at + 1], reply[at + 2], reply[at + 3] = add(i)
	end
	flush()
	return reply
end

gather()
