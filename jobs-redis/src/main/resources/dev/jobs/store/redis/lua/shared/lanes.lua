-- The lanes of a queue. A ready job with a lane is in "laned" by its due time, and in "lines", which
-- has the line of each lane one behind the other: lane, a character 0, urgency, due time, id. A job without
-- a lane that is more or less urgent than normal is there too, in a lane with an empty name. "lanes" has the
-- names of those lanes that have jobs in line and may give some, and an empty name for the jobs
-- without a lane once the queue has had any with one. "occupied" has the running jobs that have a lane
-- (lane, a character 0, id; two characters 0 if others of the lane were in line when it started) and an entry of
-- no lane, from the first claim that limits lanes on. "kept" has the jobs that wait or are dead and keep the place
-- of their lane, with one character 0; once ready they are the first in the line of their lane. "lanesettings" has
-- what operators set for single lanes.
--
-- needs      keys, names, line, fields
-- ARGV[1]    now
-- defines    NO_LANE, NORMAL, AHEAD, standing_in, lane_in, lane_settings, most_in, has_lanes, know_lanes, within,
--            in_line_of, first_in, keeps_lanes, enter_lanes, keep_lane, give_up_lane, arrive, depart, vacate

local NO_LANE = '\0'

local URGENCIES, NORMAL = { urgent = 0, high = 1, normal = 2, low = 3 }, 2

-- Comes before any urgency.
local AHEAD = '-'

-- The lane of a job, or none if it stands in line, and its urgency. Both are among the first three headers of
-- a record, which are behind five fields.
local function standing_in(record)
	local at = record and sub(record, 1, 1) == VERSION and behind(record, behind(record, behind(record, behind(record, 2))))
	local lane, urgency, many, header = nil, NORMAL
	many, at = netstrings(at and record or '', 1, at)
	for _ = 1, math.min(number(many[1]), 3) do
		header, at = netstrings(record, 2, at)
		local name, value = header[1], header[2]
		if name == 'jobs.lane' and value ~= '' and not find(value, '%c') then
			lane = value
		elseif name == 'jobs.urgency' then
			urgency = URGENCIES[value] or NORMAL
		end
	end
	return lane or urgency ~= NORMAL and '' or nil, urgency
end

local function lane_in(record)
	return (standing_in(record))
end

-- The settings of a lane: when it was paused and by whom, its limit, when it was set and by whom. A lane
-- that is not paused has an empty time, one without a limit an empty one; so has what cannot be read.
local function lane_settings(text)
	local found = fields(text or '', 5)
	if not time_in(found[1]) then
		found[1], found[2] = '', ''
	end
	if not (string.match(found[3], '^[1-9]%d*$') and tonumber(found[3]) < 2 ^ 31 and time_in(found[4])) then
		found[3], found[4], found[5] = '', '', ''
	end
	return found
end

-- How many jobs of a lane may run: 0 for any number, -1 if it is paused.
local function most_in(text, limit_of_workers)
	if not text then
		return limit_of_workers
	end
	local set = lane_settings(text)
	return set[1] ~= '' and -1 or tonumber(set[3]) or limit_of_workers
end

local function has_lanes(queue)
	return call('EXISTS', of(queue, PART.LANES)) == 1
end

local function know_lanes(queue)
	call('ZADD', of(queue, PART.LANES), 0, '')
end

-- The bounds of what is of a lane, and of nothing else; or of its jobs of some urgencies.
local function within(lane, from, to)
	if from then
		return '[' .. lane .. '\0' .. from, '(' .. lane .. '\0' .. to + 1
	end
	return '[' .. lane .. '\0', '(' .. lane .. '\1'
end

-- The entry of a job in "lines". One that keeps the place of its lane has AHEAD as urgency.
local function in_line_of(lane, urgency, id, due)
	return lane .. '\0' .. urgency .. string.format('%016.0f', math.max(math.min(number(due), 9e15), 0)) .. id
end

local function first_in(queue, lane)
	local from, to = within(lane)
	return call('ZRANGEBYLEX', of(queue, PART.LINES), from, to, 'LIMIT', 0, 1)[1]
end

local keeping = {}

-- Whether jobs of a queue keep the places of their lanes, looked up once.
local function keeps_lanes(queue)
	if keeping[queue] == nil then
		keeping[queue] = call('EXISTS', of(queue, PART.KEPT)) == 1
	end
	return keeping[queue]
end

-- Add ready jobs, given as lane, urgency, id, due, lane, urgency ... One that keeps its lane is no longer in
-- "kept". A lane that has jobs in line already is full if it may not give any, and the end of one that runs will
-- open it.
local function enter_lanes(queue, entries, is_no_news)
	local laned, lines, opened, seen = {}, {}, { 0, '' }, {}
	local kept = keeps_lanes(queue) and of(queue, PART.KEPT)
	for i = 1, #entries, 4 do
		local lane, id, due = entries[i], entries[i + 2], entries[i + 3]
		local keeps = kept and call('ZREM', kept, lane .. '\0' .. id) == 1
		if keeps then
			opened[#opened + 1], opened[#opened + 2] = 0, lane
		elseif not seen[lane] then
			seen[lane] = true
			if not first_in(queue, lane) then
				opened[#opened + 1], opened[#opened + 2] = 0, lane
			end
		end
		laned[#laned + 1], laned[#laned + 2] = due, id
		lines[#lines + 1], lines[#lines + 2] = 0, in_line_of(lane, keeps and AHEAD or entries[i + 1], id, due)
	end
	each('ZADD', of(queue, PART.LANED), laned)
	each('ZADD', of(queue, PART.LINES), lines)
	each('ZADD', of(queue, PART.LANES), opened)
	if #opened > 2 and not is_no_news then
		signal_ready(queue, ARGV[1])
	end
end

local function open_lane(queue, lane)
	if first_in(queue, lane) and call('ZADD', of(queue, PART.LANES), 0, lane) == 1 then
		signal_ready(queue, ARGV[1])
	end
end

-- Let a job that is not ready keep the place of its lane until it ends.
local function keep_lane(queue, id, record)
	local lane = lane_in(record)
	if lane and lane ~= '' then
		call('ZADD', of(queue, PART.KEPT), 0, lane .. '\0' .. id)
		keeping[queue] = true
	end
end

-- Free the place of the lane of a job that is not ready. Returns whether it kept it.
local function give_up_lane(queue, id)
	local kept = of(queue, PART.KEPT)
	local lane = keeps_lanes(queue) and lane_in(call('HGET', JOBS, id))
	if lane and call('ZREM', kept, lane .. '\0' .. id) == 1 then
		open_lane(queue, lane)
		return true
	end
	return false
end

-- Let stored jobs become ready, each in its lane or else in line.
local function arrive(queue, ids, in_front, is_news)
	if not has_lanes(queue) then
		return enter(queue, ids, in_front, is_news)
	end
	local entries, others = {}, {}
	for i, record in ipairs(read('HMGET', JOBS, ids)) do
		local lane, urgency = standing_in(record)
		local at = #entries
		if lane then
			entries[at + 1], entries[at + 2] = lane, urgency
			entries[at + 3], entries[at + 4] = ids[i], due_of(ids[i], record)
		else
			others[#others + 1] = ids[i]
		end
	end
	if #entries > 0 then
		enter_lanes(queue, entries, is_news == false)
	end
	if #others > 0 then
		enter(queue, others, in_front, is_news)
	end
end

-- Take a job out of the part in which it waits or is kept. Returns whether it kept the place of its lane.
local function depart(queue, id, part)
	if part == PART.READY then
		return leave(queue, id, part)
	elseif part ~= PART.LANED then
		local waiter = part == PART.WAITING and waiter_of(queue, id)
		leave(queue, id, part)
		if waiter then
			redis.pcall('ZREM', WAITERS, waiter)
		end
		return give_up_lane(queue, id)
	end
	local due, record = call('ZSCORE', of(queue, part), id), call('HGET', JOBS, id)
	local lane, urgency = standing_in(record)
	leave(queue, id, part)
	if not lane then
		return false
	end
	local keeps = call('ZREM', of(queue, PART.LINES), in_line_of(lane, AHEAD, id, due)) == 1
	if not keeps then
		call('ZREM', of(queue, PART.LINES), in_line_of(lane, urgency, id, due))
	end
	if lane ~= '' and not first_in(queue, lane) then
		call('ZREM', of(queue, PART.LANES), lane)
	end
	return keeps
end

-- Let jobs that do not run any more make room in their lanes. Their records must be there.
local function vacate(queue, ids)
	local occupied = of(queue, PART.OCCUPIED)
	if #ids == 0 or call('ZCARD', occupied) < 2 then
		return
	end
	local lanes, members, opened = {}, {}, {}
	for i, record in ipairs(read('HMGET', JOBS, ids)) do
		local lane = lane_in(record)
		if lane and lane ~= '' then
			lanes[#lanes + 1], members[#members + 1] = lane, lane .. '\0\0' .. ids[i]
		end
	end
	for i, had_more in ipairs(read('ZMSCORE', occupied, members)) do
		if had_more or first_in(queue, lanes[i]) then
			opened[#opened + 1], opened[#opened + 2] = 0, lanes[i]
		end
		members[i] = had_more and members[i] or string.gsub(members[i], '%z', '', 1)
	end
	each('ZREM', occupied, members)
	if #opened > 0 and each('ZADD', of(queue, PART.LANES), opened) > 0 then
		signal_ready(queue, ARGV[1])
	end
end
