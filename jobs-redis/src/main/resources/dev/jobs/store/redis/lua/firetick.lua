-- Claims ticks of schedules and enqueues their jobs, or only registers the schedules.
--
-- KEYS[1]    hash of the jobs
-- ARGV[1]    now
-- ARGV[2..]  for each tick: schedule, definition, queue, tick; and of its job: id, queue, record, due
--            time, maximum length, rule of its key. These six are empty if there is no job. If another
--            job owns its key, the queue is empty, and record and due time are the id and due time of
--            that.
-- returns    for each tick: latest tick; outcome, id and due time, empty if the tick was not claimed
--            with a job; and 1 if that was before
-- errors     a full server refuses the first write; a key of the wrong type

local WIDTH, FIRED_KEPT = 10, 5

-- A schedule is definition, queue, latest tick, when it was touched, the job offered for
-- the tick and what became of that: outcome, id, due time; and the latest ticks fired, each
-- with when it was, outcome and id.
local function find(name)
	local text = call('HGET', SCHEDULES, name)
	local known = text and fields(text, 9)
	return known and time_in(known[3]) and known
end

local function put(name, schedule)
	call('HSET', SCHEDULES, name, packed_with_version(unpack(schedule)))
end

local function register(name, known, definition, queue, tick)
	local schedule = known
	if not known or known[1] ~= definition and tonumber(tick) > tonumber(known[3]) then
		schedule = { definition, queue, tick, ARGV[1], '', '', '', '', '' }
	end
	schedule[1], schedule[2], schedule[4] = definition, queue, ARGV[1]
	put(name, schedule)
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
	local name, definition, queue, tick, job = unpack(ARGV, i, i + 4)
	local known = find(name)
	if job == '' then
		return register(name, known, definition, queue, tick)
	end
	if known and known[3] == tick and known[5] == job then
		return tick, known[6], known[7], known[8], 1
	end
	if known and tonumber(tick) <= tonumber(known[3]) then
		return known[3], '', '', '', 0
	end
	known = known or { definition, queue, '', '', '', '', '', '', '' }
	if call('HEXISTS', SCHEDULES, pause_of(name)) == 1 then
		put(name, { known[1], known[2], tick, ARGV[1], '', '', '', '', known[9] })
		return tick, '', '', '', 0
	end
	local outcome, id, due = 'duplicate', ARGV[i + 6], ARGV[i + 7]
	if ARGV[i + 5] ~= '' then
		stored[job] = stored[job] or call('HGET', JOBS, job)
		outcome, id, due = add(i + 4)
	end
	put(name, { known[1], known[2], tick, ARGV[1], job, outcome, id, due, with_fired(known[9], tick, outcome, id) })
	return tick, outcome, id, due, 0
end

-- Return the queue to which the tick whose arguments begin at an index may add a job.
local function adds_to(i)
	if ARGV[i + 5] ~= '' then
		local known = find(ARGV[i])
		return (not known or tonumber(ARGV[i + 3]) > tonumber(known[3])) and ARGV[i + 5]
	end
end

require_namespace()
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
