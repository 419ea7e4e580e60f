-- How schedules are kept. A schedule is definition, queue, latest tick, when it was touched, the job
-- offered for the tick and what became of that: outcome, id, due time; the latest ticks fired, each
-- with when it was, outcome and id; and, if it was put at run time: version, when it is to be looked
-- at again, and the definition that it overrides. One that is paused is among the schedules under a
-- name that none of them has.
--
-- needs      keys, names, fields
-- ARGV[1]    now
-- defines    SCHEDULES, PAUSE, SPECS, TICKS, pause_of, find_schedule, store_schedule, become, forget_put

local SCHEDULES, PAUSE, SPECS, TICKS = base .. 'schedules', '1', base .. 'specs', base .. 'ticks'

local function pause_of(schedule)
	return '\1' .. schedule
end

local function find_schedule(name)
	local text = call('HGET', SCHEDULES, name)
	local known = text and fields(text, 12)
	return known and time_in(known[3]) and known
end

local function store_schedule(name, schedule)
	call('HSET', SCHEDULES, name, packed_with_version(unpack(schedule)))
	if schedule[10] ~= '' and schedule[11] ~= '' then
		call('ZADD', TICKS, schedule[11], name)
	elseif schedule[10] ~= '' then
		call('ZREM', TICKS, name)
	end
end

-- Take another definition, of which ticks count that are later than a time.
local function become(schedule, definition, queue, from)
	if tonumber(from) > tonumber(schedule[3]) then
		schedule[3], schedule[5], schedule[6], schedule[7], schedule[8] = from, '', '', '', ''
		schedule[9] = schedule[1] == definition and schedule[9] or ''
	end
	schedule[1], schedule[2], schedule[4] = definition, queue, ARGV[1]
end

-- Forget what was put.
local function forget_put(name, schedule)
	call('ZREM', TICKS, name)
	call('HDEL', SPECS, name)
	schedule[10], schedule[11], schedule[12] = '', '', ''
end
