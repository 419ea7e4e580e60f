-- Claims a tick of a schedule and enqueues its job, or only registers the schedule.
--
-- KEYS[1]    hash of the jobs
-- ARGV[1]    now
-- ARGV[2]    schedule
-- ARGV[3]    definition
-- ARGV[4]    queue
-- ARGV[5]    tick
-- ARGV[6..]  if there is a job: id, queue, record, due time, maximum length, rule of its key; or, if
--            another job owns its key, its id and the id and due time of that
-- returns    latest tick; if the tick was claimed with a job: outcome, id, due time, and 1 if that
--            was before
-- errors     a full server refuses the first write; a key of the wrong type

local name, definition, queue, tick = ARGV[2], ARGV[3], ARGV[4], ARGV[5]
require_namespace()
local text = call('HGET', SCHEDULES, name)
local known = text and fields(text, 9)
known = known and time_in(known[3]) and known

-- A schedule is definition, queue, latest tick, when it was touched, the job offered for
-- the tick and what became of that: outcome, id, due time; and the latest ticks fired, each
-- with when it was, outcome and id.
local function put(schedule)
	call('HSET', SCHEDULES, name, packed_with_version(unpack(schedule)))
end

if #ARGV == 5 then
	local schedule = known or { definition, queue, tick, ARGV[1], '', '', '', '', '' }
	if schedule[1] ~= definition and tonumber(tick) > tonumber(schedule[3]) then
		schedule = { definition, queue, tick, ARGV[1], '', '', '', '', '' }
	end
	schedule[1], schedule[2], schedule[4] = definition, queue, ARGV[1]
	put(schedule)
	return { schedule[3] }
end

local job = ARGV[6]
if known and known[3] == tick and known[5] == job then
	return { tick, known[6], known[7], known[8], 1 }
end
if known and tonumber(tick) <= tonumber(known[3]) then
	return { known[3] }
end
if call('HEXISTS', SCHEDULES, pause_of(name)) == 1 then
	put({ known and known[1] or definition, known and known[2] or queue, tick, ARGV[1], '', '', '', '',
			known and known[9] or '' })
	return { tick }
end

local FIRED_KEPT = 5

local function fired(outcome, id)
	local ticks = netstrings(known and known[9] or '', 4 * FIRED_KEPT)
	while ticks[#ticks] == '' do
		ticks[#ticks] = nil
	end
	local from = #ticks < 4 * FIRED_KEPT and 1 or 5
	return pack(unpack(ticks, from)) .. pack(tick, ARGV[1], outcome, id)
end

local outcome, id, due = 'duplicate', ARGV[7], ARGV[8]
if #ARGV > 8 then
	require_sound(queue)
	stored[job] = call('HGET', JOBS, job)
	outcome, id, due = add(6)
	flush()
end
put({ known and known[1] or definition, known and known[2] or queue, tick, ARGV[1], job, outcome, id, due,
		fired(outcome, id) })
return { tick, outcome, id, due }
