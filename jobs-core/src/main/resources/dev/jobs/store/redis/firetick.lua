-- Claims a tick of a schedule and enqueues its job, or only registers the schedule.
--
-- KEYS[1]  the hash of the jobs
-- ARGV     the present, schedule, definition, queue, tick, what another partition knows of
--          the schedule or nothing; then, if there is a job, id and due time of the one that
--          owns its key in another partition, or nothing, and the job as for an enqueue
-- returns  the latest tick; then outcome, id and due time of the job, if it was claimed

local SCHEDULES = base .. 'schedules'
local name, definition, queue, tick = ARGV[2], ARGV[3], ARGV[4], ARGV[5]
local text = call('HGET', SCHEDULES, name)
local known, other = text and fields(text, 8), ARGV[6] ~= '' and fields(ARGV[6], 8)
if other and not (known and number(known[3]) >= number(other[3])) then
	known = other
end
known = known and tonumber(known[3]) and known

-- A schedule is definition, queue, latest tick, when it was touched, the job offered for
-- the tick and what became of that: outcome, id, due time.
local function put(schedule)
	call('HSET', SCHEDULES, name, pack(unpack(schedule)))
end

if #ARGV == 6 then
	local schedule = known or { definition, queue, tick, ARGV[1], '', '', '', '' }
	if schedule[1] ~= definition and tonumber(tick) > tonumber(schedule[3]) then
		schedule = { definition, queue, tick, ARGV[1], '', '', '', '' }
	end
	schedule[1], schedule[2], schedule[4] = definition, queue, ARGV[1]
	put(schedule)
	return { schedule[3] }
end

local job = ARGV[9]
if known and known[3] == tick and known[5] == job then
	return { tick, known[6], known[7], known[8] }
end
if known and tonumber(tick) <= tonumber(known[3]) then
	return { known[3] }
end
stored[job] = call('HGET', JOBS, job)
local outcome, id, due = 'DUPLICATE', ARGV[7], ARGV[8]
if id == '' or stored[job] then
	outcome, id, due = add(9)
	flush()
end
put({ known and known[1] or definition, known and known[2] or queue, tick, ARGV[1], job, outcome, id, due })
return { tick, outcome, id, due }
