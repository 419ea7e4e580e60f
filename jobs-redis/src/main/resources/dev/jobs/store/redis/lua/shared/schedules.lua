-- Keeps schedules. A schedule is definition, queue, latest tick, the time it was touched, the job offered for
-- the tick and its result: outcome, id, due time; the latest fired ticks, each with its time, outcome and id;
-- and, if it was put at run time: version, the time it is next looked at, and the definition that it
-- overrides. A pause is kept among the schedules under a name that no schedule can have.
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

-- Accept another definition, whose ticks count from a time on.
local function become(schedule, definition, queue, from)
	if tonumber(from) > tonumber(schedule[3]) then
		schedule[3], schedule[5], schedule[6], schedule[7], schedule[8] = from, '', '', '', ''
		schedule[9] = schedule[1] == definition and schedule[9] or ''
	end
	schedule[1], schedule[2], schedule[4] = definition, queue, ARGV[1]
end

-- Forget the definition put at run time.
local function forget_put(name, schedule)
	call('ZREM', TICKS, name)
	call('HDEL', SPECS, name)
	schedule[10], schedule[11], schedule[12] = '', '', ''
end
