-- Claims ticks of schedules and enqueues their jobs, or only registers the schedules.
--
-- KEYS[1]    hash of the jobs
-- ARGV[1]    now
-- ARGV[2..]  for each tick: schedule, definition, queue, tick, version and when it is next looked at, which
--            are empty if it was not put; and for its job: id, queue, record, due time,
--            maximum length, rule of its key. These six are empty if there is no job. If another job owns its
--            key, the queue is empty, and record and due time are that job's id and due time.
-- returns    for each tick: latest tick; outcome, id and due time, empty if the tick was not claimed
--            with a job; and 1 for a repeat
-- errors     a full server refuses the first write; a key of the wrong type

local WIDTH, FIRED_KEPT = 12, 5

local function is_override(known, definition, queue)
	return known[2] == queue and (known[12] == '' or known[12] == definition)
end

local function register(name, known, definition, queue, tick)
	local schedule = known or { definition, queue, tick, ARGV[1], '', '', '', '', '', '', '', '' }
	if schedule[10] ~= '' and is_override(schedule, definition, queue) then
		schedule[4], schedule[12] = ARGV[1], definition
		store_schedule(name, schedule)
		return tick, '', '', '', 0
	elseif schedule[10] ~= '' then
		forget_put(name, schedule)
	end
	become(schedule, definition, queue, schedule[1] == definition and schedule[3] or tick)
	store_schedule(name, schedule)
	return schedule[3], '', '', '', 0
end

local function with_fired(ticks, tick, outcome, id)
	ticks = netstrings(ticks, 4 * FIRED_KEPT)
	while ticks[#ticks] == '' do
		ticks[#ticks] = nil
	end
	local from = #ticks < 4 * FIRED_KEPT and 1 or 5
	return pack(unpack(ticks, from)) .. pack(tick, ARGV[1], outcome, id)
end

-- Fire the tick whose arguments begin at an index.
local function fire(i)
	local name, definition, queue, tick, version, next, job = unpack(ARGV, i, i + 6)
	local known = find_schedule(name)
	if job == '' and version == '' then
		return register(name, known, definition, queue, tick)
	end
	if version ~= (known and known[10] or '') then
		return tick, '', '', '', 0
	end
	if known and known[3] == tick and known[5] == job and job ~= '' then
		return tick, known[6], known[7], known[8], 1
	end
	local ahead = known and tonumber(tick) - tonumber(known[3]) or 1
	if ahead < 0 or ahead == 0 and job ~= '' then
		return known[3], '', '', '', 0
	end
	known = known or { definition, queue, '', '', '', '', '', '', '', '', '', '' }
	known[4], known[11] = ARGV[1], version ~= '' and next or ''
	if job == '' or call('HEXISTS', SCHEDULES, pause_of(name)) == 1 then
		if ahead > 0 then
			known[3], known[5], known[6], known[7], known[8] = tick, '', '', '', ''
		end
		store_schedule(name, known)
		return tick, '', '', '', 0
	end
	local outcome, id, due = 'duplicate', ARGV[i + 8], ARGV[i + 9]
	if ARGV[i + 7] ~= '' then
		stored[job] = stored[job] or call('HGET', JOBS, job)
		outcome, id, due = add(i + 6)
	end
	known[3], known[5], known[6], known[7], known[8] = tick, job, outcome, id, due
	known[9] = with_fired(known[9], tick, outcome, id)
	store_schedule(name, known)
	return tick, outcome, id, due, 0
end

-- Return the queue to which the tick whose arguments begin at an index may add a job.
local function adds_to(i)
	if ARGV[i + 7] ~= '' then
		local known = find_schedule(ARGV[i])
		return (not known or tonumber(ARGV[i + 3]) > tonumber(known[3])) and ARGV[i + 7]
	end
end

require_namespace()
require_rare(SPECS)
call('ZCARD', TICKS)
local sound = {}
for i = 2, #ARGV, WIDTH do
	local queue = adds_to(i)
	if queue and not sound[queue] then
		require_sound(queue)
		sound[queue] = true
	end
end
local reply = {}
for i = 2, #ARGV, WIDTH do
	local at = #reply
	reply[at + 1], reply[at + 2], reply[at + 3], reply[at + 4], reply[at + 5] = fire(i)
end
flush()
return reply
