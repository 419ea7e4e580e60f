-- Gives ready jobs to a worker, after making due ones ready.
--
-- KEYS[1]    hash of the jobs
-- ARGV[1]    now
-- ARGV[2]    step of the tokens
-- ARGV[3]    remainder of the tokens
-- ARGV[4]    worker
-- ARGV[5]    limit
-- ARGV[6..]  for each queue: name, share, most, how many due jobs to make ready at most, running
--            limit of the workers, and that of each lane, lane that gave jobs last, jobs it gave before,
--            weights of lanes, rates or empty
-- returns    token; for each batch of jobs: queue, ids, records, trails, two empty lists; for
--            each queue: 1 if it has more, next due time or empty, lane that gave jobs last; for
--            each queue whose list had entries without a job: queue, number of them; faults of queues
-- errors     a key of the wrong type, before a job is taken

local worker, limit = ARGV[4], tonumber(ARGV[5])
local rows, left, repairs, faults, given, adopted, token = {}, {}, {}, {}, 0, 0, '0'
local known_gates
local MADE_HERE = '^%x%x0' .. string.rep('[%da-z]', 22) .. '$'

local function due_times(quota, from, to, many)
	local due = {}
	for _, part in ipairs(quota.delayed) do
		local found = call('ZRANGEBYSCORE', of(quota.queue, part), from, to, 'WITHSCORES', 'LIMIT', 0, many)
		for i = 1, #found, 2 do
			due[#due + 1] = { id = found[i], at = tonumber(found[i + 1]), part = part }
		end
	end
	table.sort(due, function(a, b) return a.at < b.at or (a.at == b.at and a.id < b.id) end)
	return due
end

-- Make up to n due jobs of a queue ready, without a signal: they are claimed now.
local function promote(quota, n)
	local due, ids, waiters = due_times(quota, '-inf', ARGV[1], n), {}, {}
	for i = 1, math.min(#due, n) do
		ids[i] = due[i].id
		waiters[#waiters + 1] = due[i].part == PART.WAITING and waiter_of(quota.queue, ids[i]) or nil
	end
	write_though_full()
	arrive(quota.queue, ids, false, false)
	for i = 1, #ids do
		leave(quota.queue, ids[i], due[i].part)
	end
	for _, waiter in ipairs(waiters) do
		redis.pcall('ZREM', WAITERS, waiter)
	end
end

-- How many more due jobs become ready in a queue with lanes, so that none waits long for those of others.
local FOR_LANES = 300

-- Lanes that wait may have been closed by other rates. Then all are looked at again, about 100 in each claim; a
-- gate of no lane has the rates by which that was done, and how far. Adds those that may give some to a list.
local function look_again(quota, open)
	local key, gated = of(quota.queue, PART.GATES), of(quota.queue, PART.GATED)
	if call('EXISTS', gated) == 0 then
		call('HDEL', key, NO_LANE)
		return
	end
	local rates, from = string.match(call('HGET', key, NO_LANE) or '', '^(.*);(%d*)$')
	if rates == quota.rates and from == '' then
		return
	end
	local found = call('ZSCAN', gated, rates == quota.rates and from or '0', 'COUNT', 100)
	local to = found[1] ~= '0' and found[1] or ''
	for i = 1, #found[2], 2 do
		local lane = found[2][i]
		if quota.gates.room_by(quota.gates.gate_of(quota.queue, lane), quota.lane_rate) > 0 then
			open[#open + 1] = lane
		end
	end
	write_though_full()
	call('HSET', key, NO_LANE, quota.rates .. ';' .. to)
	quota.looks_again = to ~= ''
end

-- Find out by the rates and holds how much a queue may give, and open lanes whose time has come.
local function look_at_gates(quota)
	local queue, gated = quota.queue, of(quota.queue, PART.GATED)
	known_gates = known_gates or gates()
	quota.gates = known_gates
	quota.rate, quota.lane_rate = quota.gates.rates_in(quota.rates)
	quota.gate = quota.gates.gate_of(queue, '')
	quota.permits = quota.gates.room_by(quota.gate, quota.rate)
	quota.gates.store_gate(queue, quota.gate)
	quota.open = math.min(quota.open, quota.permits)
	local lanes, opened = call('ZRANGEBYSCORE', gated, '-inf', ARGV[1], 'LIMIT', 0, HOPS), {}
	look_again(quota, lanes)
	for _, lane in ipairs(lanes) do
		if first_in(queue, lane) then
			opened[#opened + 1], opened[#opened + 2] = 0, lane
		end
	end
	if #lanes > 0 then
		write_though_full()
		each('ZADD', of(queue, PART.LANES), opened)
		each('ZREM', gated, lanes)
	end
end

-- Find out how much a queue may give, and when its next job is due.
local function open(quota)
	local settings = settings_of(quota.meta)
	local max = settings[4] ~= '-1' and tonumber(settings[4]) or quota.max
	quota.paused = settings[2] ~= ''
	quota.room = quota.paused and 0 or (max > 0 and max - call('ZCARD', of(quota.queue, PART.RUNNING))) or math.huge
	quota.open = math.max(math.min(quota.most, quota.room), 0)
	if quota.rates ~= '' or quota.rare and call('EXISTS', of(quota.queue, PART.GATES), of(quota.queue, PART.GATED)) > 0 then
		look_at_gates(quota)
	end
	local waiting = of(quota.queue, PART.WAITING)
	local delayed = quota.rare and call('EXISTS', of(quota.queue, PART.SCHEDULED), of(quota.queue, PART.RETRY),
			waiting, waiting, waiting) or 0
	if delayed > 0 then
		-- The name of the last part counts three times, so this needs no other call.
		quota.delayed = delayed < 3 and TIMED or DELAYED
		if #due_times(quota, '-inf', ARGV[1], 1) > 0 then
			local n = math.max(math.min(quota.promoted, quota.room, quota.permits), 0)
			promote(quota, n)
			quota.due = #due_times(quota, '-inf', ARGV[1], 1) > 0
			if quota.due and n > 0 and call('EXISTS', of(quota.queue, PART.LANED)) == 1 then
				promote(quota, FOR_LANES)
				quota.due = #due_times(quota, '-inf', ARGV[1], 1) > 0
			end
		end
		local next = due_times(quota, '(' .. ARGV[1], '+inf', 1)[1]
		quota.next = next and string.format('%.0f', next.at)
	end
	quota.has_lanes = quota.rare and call('EXISTS', of(quota.queue, PART.LANED)) == 1
	quota.set = quota.has_lanes and call('EXISTS', of(quota.queue, PART.LANESETTINGS)) == 1
end

-- A list entry that is not an id was written by another program: it becomes the payload of a new job. An
-- entry that looks like an id made here is dropped.
local function adopt(quota, ids, records)
	local found, stored = {}, {}
	for i = 1, #ids do
		local id, record = ids[i], records[i]
		if not record and not string.match(id, MADE_HERE) then
			adopted = adopted + 1
			record = packed_with_version(ARGV[1], '', quota.queue, '', '0') .. id
			id = 'x-' .. token .. '-' .. adopted
			call('HSET', JOBS, id, record)
		end
		if record then
			found[#found + 1], stored[#stored + 1] = id, record
		end
	end
	return found, stored
end

-- The jobs held under this claim's token only, each once.
local function just_held(quota, ids, records)
	local found, stored, seen = {}, {}, {}
	for i, score in ipairs(read('ZMSCORE', of(quota.queue, PART.RUNNING), ids)) do
		if token_of(score) == token and not seen[ids[i]] then
			seen[ids[i]] = true
			found[#found + 1], stored[#stored + 1] = ids[i], records[i]
		end
	end
	close(quota.queue, token)
	return found, stored
end

local function start(quota, popped)
	local ids, records, whole = popped, read('HMGET', JOBS, popped), true
	if quota.rate then
		quota.gates.count_starts(quota.gate, quota.rate, #popped)
		quota.gates.store_gate(quota.queue, quota.gate)
		quota.permits = quota.permits - #popped
	end
	token = token ~= '0' and token or next_token(ARGV[2], ARGV[3])
	for i = 1, #ids do
		whole = whole and records[i]
	end
	if not whole then
		ids, records = adopt(quota, ids, records)
	end
	if #ids > 0 and hold(quota.queue, ids, token, worker, 'NX') < #ids then
		ids, records = just_held(quota, ids, records)
	end
	if #ids < #popped then
		repairs[#repairs + 1] = quota.queue
		repairs[#repairs + 1] = #popped - #ids
	end
	if #ids == 0 then
		return
	end
	for i = 1, quota.rare and has_keys(quota.queue) and #ids or 0 do
		local key = key_in(records[i])
		if key and key[1] == 'S' then
			free(quota.queue, ids[i], key)
		end
	end
	add_claimed(rows, quota.queue, ids, records, {}, {})
	given, quota.open, quota.room = given + #ids, quota.open - #ids, quota.room - #ids
end

local is_sound = false

-- Fail before the first job is popped if a key that its start needs has the wrong type.
local function require_what_starts_need()
	if not is_sound then
		require_hashes(JOBS, TOKENS)
		require_rare(TRAIL, WAITS, ACROSS_QUEUES)
		call('SCARD', held_by(worker))
		call('STRLEN', base .. 'token')
		is_sound = true
	end
end

-- Find out whether running jobs count for a limit of their lanes. If they do, "occupied" has an entry of no
-- lane; a limit that is new adds those that began before.
local function know_occupied(quota)
	local occupied = of(quota.queue, PART.OCCUPIED)
	local is_limited = quota.max_in_lane > 0 or quota.set
	quota.counts = call('ZSCORE', occupied, NO_LANE) ~= false
	if quota.counts and not is_limited and call('ZCARD', occupied) == 1 then
		call('DEL', occupied)
		quota.counts = false
	elseif not quota.counts and is_limited then
		local entries, ids = { 0, NO_LANE }, call('ZRANGE', of(quota.queue, PART.RUNNING), 0, -1)
		for i, record in ipairs(read('HMGET', JOBS, ids)) do
			local lane = lane_in(record)
			if lane and lane ~= '' then
				entries[#entries + 1], entries[#entries + 2] = 0, lane .. '\0' .. ids[i]
			end
		end
		write_though_full()
		each('ZADD', occupied, entries)
		quota.counts = true
	end
end

-- A lane without a permit is looked at again when the next one is there.
local function close_until_open(quota, gate)
	quota.gates.store_gate(quota.queue, gate)
	if quota.gates.opens_at(gate) > now then
		write_though_full()
		call('ZADD', of(quota.queue, PART.GATED), string.format('%.0f', quota.gates.opens_at(gate)), gate.lane)
	end
end

-- How many jobs of some lanes run, by the name, or nothing if many run.
local function running_in(quota, names)
	local counts, most = {}, 2 * #names
	local from, _, to = within(names[1]), within(names[#names])
	local found = call('ZRANGEBYLEX', of(quota.queue, PART.OCCUPIED), from, to, 'LIMIT', 0, most)
	for _, member in ipairs(found) do
		local lane = string.match(member, '^(%C*)%z') or member
		counts[lane] = (counts[lane] or 0) + 1
	end
	return #found < most and counts
end

-- How many jobs of a lane may start, not more than some number, if at most this many may run.
local function room_in(quota, lane, most, max, running)
	if lane == '' then
		return math.max(in_line(quota.queue), 0) + call('ZLEXCOUNT', of(quota.queue, PART.LINES), within(''))
	end
	local gate = quota.gates and quota.gates.gate_of(quota.queue, lane)
	local room = gate and math.huge or most
	if max ~= 0 then
		local from, to = within(lane)
		room = max - (running and (running[lane] or 0) or call('ZLEXCOUNT', of(quota.queue, PART.OCCUPIED), from, to))
				- (keeps_lanes(quota.queue) and call('ZLEXCOUNT', of(quota.queue, PART.KEPT), from, to) or 0)
	end
	if gate then
		room = math.min(room, quota.gates.room_by(gate, quota.lane_rate))
		close_until_open(quota, gate)
	end
	return room
end

-- The lanes from the one behind that which gave jobs last on, and around to that one, which may give
-- some, n at most. One that turns out to be full is closed.
local function next_lanes(quota, n)
	local lanes, found, closed = of(quota.queue, PART.LANES), {}, {}
	local from, to = '(' .. quota.after, '+'
	while #found < n and quota.hops > 0 do
		local asked = n - #found
		local names = call('ZRANGEBYLEX', lanes, from, to, 'LIMIT', 0, asked)
		local settings = quota.set and read('HMGET', of(quota.queue, PART.LANESETTINGS), names)
		local running = quota.counts and #names > 1 and running_in(quota, names)
		for i, lane in ipairs(names) do
			local max = most_in(settings and settings[i], quota.max_in_lane)
			local room = room_in(quota, lane, n, max, running)
			if room > 0 then
				found[#found + 1] = { lane, room, max > 0 }
			elseif lane ~= '' then
				closed[#closed + 1], quota.hops = lane, quota.hops - 1
			end
		end
		if #names == asked then
			from = '(' .. names[#names]
		elseif to == '+' then
			from, to = '-', '[' .. quota.after
		else
			break
		end
	end
	each('ZREM', lanes, closed)
	return found
end

local ROUND, DISTANCE = 16, 5

-- How many turns an urgency has in some starts. In its turn one of its jobs starts though more urgent ones wait.
local function turns_of(urgency, turn, starts)
	local from = turn - 1 - urgency * DISTANCE
	return math.floor((from + starts) / ROUND) - math.floor(from / ROUND)
end

-- The urgency in an entry of a lane. One that keeps its place comes before all others.
local function urgency_in(lane, entry)
	return tonumber(string.sub(entry, #lane + 2, #lane + 2)) or 0
end

-- Whether some urgency has a turn in n starts, found out once for each number.
local function has_turns(quota, n)
	local turns = quota.turns
	if turns[n] == nil then
		turns[n] = turns_of(1, quota.turn, n) + turns_of(2, quota.turn, n) + turns_of(3, quota.turn, n) > 0
	end
	return turns[n]
end

-- Whether less urgent jobs have to start though more urgent ones wait: the first of a lane does not keep its
-- place, the last is less urgent, and some urgency has a turn.
local function are_in_turn(quota, lane, n, first)
	local from, to = within(lane)
	return has_turns(quota, n) and string.sub(first, #lane + 2, #lane + 2) ~= AHEAD and urgency_in(lane, first)
			~= urgency_in(lane, call('ZREVRANGEBYLEX', of(quota.queue, PART.LINES), to, from, 'LIMIT', 0, 1)[1])
end

-- Choose n entries, by urgency: the less urgent ones whose turn it is, then the first that were found. For the jobs
-- without a lane, those in line are among them, popped.
local function take_in_turn(quota, lane, n, found)
	local rows, taken, left = { [0] = {}, {}, {}, {} }, {}, n
	local function add(urgency, entries, most)
		for _, entry in ipairs(entries) do
			if most <= 0 or left <= 0 then
				return
			elseif not taken[entry] then
				taken[entry], left, most = true, left - 1, most - 1
				rows[urgency][#rows[urgency] + 1] = entry
			end
		end
	end
	for urgency = 1, 3 do
		local turns = turns_of(urgency, quota.turn, n)
		if turns > 0 and lane == '' and urgency == NORMAL then
			add(urgency, pop(quota.queue, turns, true), turns)
		elseif turns > 0 then
			local first, last = within(lane, urgency, urgency)
			add(urgency, call('ZRANGEBYLEX', of(quota.queue, PART.LINES), first, last, 'LIMIT', 0, turns), turns)
		end
	end
	for urgency = 0, 3 do
		if lane == '' and urgency == NORMAL and left > 0 then
			add(urgency, pop(quota.queue, left, true), left)
		end
		for _, entry in ipairs(found) do
			if urgency_in(lane, entry) == urgency then
				add(urgency, { entry }, 1)
			end
		end
	end
	return rows
end

-- How many entries of lines a search finds at most.
local AT_ONCE = 200

-- The first n entries of a lane in its line. A search finds those of the lanes behind it, too, where lanes are short.
local function find_first(quota, lane, n)
	local of_lane, seen = lane .. '\0', quota.seen
	local found, at = {}, seen.at
	for search = 0, 1 do
		while seen[at] and #found < n do
			if sub(seen[at], 1, #of_lane) == of_lane then
				found[#found + 1] = seen[at]
			elseif found[1] then
				break
			end
			at = at + 1
		end
		if search == 1 or #found == n or seen[at] then
			break
		end
		local size = math.max(found[1] and math.min(2 * #seen, AT_ONCE) or 0, n)
		seen = call('ZRANGEBYLEX', of(quota.queue, PART.LINES), '[' .. of_lane, '+', 'LIMIT', 0, size)
		quota.seen, found, at = seen, {}, 1
	end
	seen.at = at
	return found
end

-- Find the next n entries of a lane in its line. Returns them in lists by urgency, or all in the first one, as they are
-- in this order; and whether the lane has more.
local function take(quota, lane, n)
	local found = find_first(quota, lane, n + 1)
	local has_more = lane == '' or #found > n
	if lane == '' and #found == 0 then
		return { [NORMAL] = pop(quota.queue, n, true) }, has_more
	elseif lane == '' or has_more and are_in_turn(quota, lane, n, found[1]) then
		return take_in_turn(quota, lane, n, found), has_more
	end
	found[n + 1] = nil
	return { [0] = found }, has_more
end

-- The weights of lanes that have one.
local function read_weights(text)
	local many, at = netstrings(text, 1)
	local found, weights = netstrings(text, 2 * tonumber(many[1]), at), {}
	for i = 1, #found, 2 do
		weights[found[i]] = tonumber(found[i + 1])
	end
	return weights
end

local NONE = {}

-- Take as many jobs as are wanted from lanes, from each by its weight. Returns also how many hops were in vain: where
-- no lane is, many entries to skip may have been passed.
local function pop_lanes(quota, lanes, wanted)
	local queue, ids, laned, lines, occupied, closed = quota.queue, {}, {}, {}, {}, {}
	local weights, total = quota.weights, #lanes
	for _, open in ipairs(weights and lanes or {}) do
		total = total + (weights[open[1]] or 1) - 1
	end
	local many, left = math.max(math.floor(wanted / total), 1), wanted
	local vain = 0
	quota.seen, quota.turns = { at = 1 }, {}
	for _, open in ipairs(lanes) do
		local lane, room, is_limited = open[1], open[2], open[3]
		local n = math.min(many * (weights and weights[lane] or 1), room, left)
		if left == 0 then
			break
		end
		quota.after, left = lane, left - n
		local rows, has_more = take(quota, lane, n)
		local before = #ids
		for urgency = 0, 3 do
			for _, entry in ipairs(rows[urgency] or NONE) do
				local id = entry
				if lane ~= '' or urgency ~= NORMAL then
					id = string.sub(entry, #lane + 19)
					laned[#laned + 1], lines[#lines + 1] = id, entry
				end
				if lane ~= '' and quota.counts then
					occupied[#occupied + 1], occupied[#occupied + 2] = 0, lane .. (has_more and '\0\0' or '\0') .. id
				end
				ids[#ids + 1] = id
			end
		end
		if lane ~= '' and (not has_more or (is_limited or quota.lane_rate) and n == room) then
			closed[#closed + 1] = lane
		end
		local taken = #ids - before
		if taken == 0 then
			vain = vain + (lane == '' and HOPS / 4 or 1)
		end
		if lane ~= '' and quota.lane_rate and taken > 0 then
			local gate = quota.gates.gate_of(queue, lane)
			quota.gates.count_starts(gate, quota.lane_rate, taken)
			close_until_open(quota, gate)
		end
	end
	each('ZREM', of(queue, PART.LANED), laned)
	each('ZREM', of(queue, PART.LINES), lines)
	each('ZADD', of(queue, PART.OCCUPIED), occupied)
	each('ZREM', of(queue, PART.LANES), closed)
	if quota.lane_rate then
		quota.gates.drop_gates(queue, 3 * #lanes)
	end
	return ids, vain
end

local function give_in_turn(quota, wanted)
	while wanted > 0 do
		local lanes = next_lanes(quota, wanted)
		if #lanes == 0 then
			quota.spent = true
			return
		end
		local ids, vain = pop_lanes(quota, lanes, wanted)
		if #ids > 0 then
			start(quota, ids)
		end
		quota.hops = quota.hops - vain
		wanted, quota.turn = wanted - #ids, quota.turn + #ids
	end
end

local function give(quota, wanted)
	wanted = math.min(wanted, quota.open, limit - given)
	if wanted <= 0 or quota.spent then
		return
	end
	require_what_starts_need()
	if quota.has_lanes then
		if quota.counts == nil then
			know_occupied(quota)
		end
		return give_in_turn(quota, wanted)
	end
	local ids = pop(quota.queue, wanted, quota.rare)
	quota.spent = #ids < wanted
	if #ids > 0 then
		start(quota, ids)
	end
end

-- Whether another claim would get a job; remembers if only the limit prevents it.
local function has_more(quota)
	local skipped = quota.rare and call('SCARD', of(quota.queue, PART.SKIP)) or 0
	local in_lanes = quota.rare and call('EXISTS', of(quota.queue, PART.LANED)) == 1
	if not quota.due and call('LLEN', of(quota.queue, PART.READY)) <= skipped
			and not (in_lanes and (quota.room <= 0 or quota.looks_again or #next_lanes(quota, 1) > 0 or quota.hops <= 0)) then
		return 0
	end
	if quota.room <= 0 and not quota.paused and call('HEXISTS', WAITS, 'limit:' .. quota.queue) == 0 then
		write_though_full()
		call('HSET', WAITS, 'limit:' .. quota.queue, 1)
	end
	return quota.room > 0 and quota.permits > 0 and 1 or 0
end

-- When the next job is due or, if gates keep jobs from starting, when the next of these opens.
local function next_of(quota, more)
	local next = tonumber(quota.next or math.huge)
	if quota.gates and quota.gates.opens_at(quota.gate) > now then
		local opens = quota.gates.opens_at(quota.gate)
		local waits = quota.due or in_line(quota.queue) > 0 or call('EXISTS', of(quota.queue, PART.LANED)) == 1
		next = (waits or next < opens) and opens or next
	elseif quota.gates and more == 0 then
		local gated = call('ZRANGE', of(quota.queue, PART.GATED), 0, 99, 'WITHSCORES')
		for i = 1, #gated, 2 do
			if first_in(quota.queue, gated[i]) or i == 199 then
				next = math.min(next, tonumber(gated[i + 1]))
				break
			end
		end
	end
	return next < math.huge and string.format('%.0f', next) or ''
end

if not is_alive(worker) then
	return { '0', {}, {}, {}, {} }
end
local quotas, names = {}, {}
for i = 6, #ARGV, 10 do
	names[#names + 1] = ARGV[i]
	quotas[#quotas + 1] = { queue = ARGV[i], share = tonumber(ARGV[i + 1]), most = tonumber(ARGV[i + 2]),
			promoted = tonumber(ARGV[i + 3]), max = tonumber(ARGV[i + 4]),
			max_in_lane = tonumber(ARGV[i + 5]), after = ARGV[i + 6],
			turn = tonumber(ARGV[i + 7]), weights = ARGV[i + 8] ~= '' and read_weights(ARGV[i + 8]),
			rates = ARGV[i + 9], hops = HOPS, open = 0, room = 0, permits = math.huge }
end
for i, meta in ipairs(read('HMGET', QUEUES, names)) do
	if not meta and call('EXISTS', of(names[i], PART.READY), of(names[i], PART.SCHEDULED), of(names[i], PART.RETRY),
			of(names[i], PART.WAITING)) > 0 then
		meta = DEFAULT_SETTINGS
		write_though_full()
		call('HSET', QUEUES, names[i], meta)
	end
	if meta then
		local fault, rare = fault_in(names[i])
		if fault then
			faults[#faults + 1] = fault
		else
			quotas[i].meta, quotas[i].rare = meta, rare
			open(quotas[i])
		end
	end
end
for _, quota in ipairs(quotas) do
	give(quota, quota.share)
end
for _, quota in ipairs(quotas) do
	give(quota, quota.open)
end
local awaited = given > 0 and call('EXISTS', WAITS) == 1
for i, quota in ipairs(quotas) do
	left[3 * i - 2] = quota.meta and has_more(quota) or 0
	left[3 * i - 1], left[3 * i] = next_of(quota, left[3 * i - 2]), quota.after
	if awaited then
		signal_room(quota.queue)
	end
end
return { token, rows, left, repairs, faults }
