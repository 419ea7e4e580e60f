-- Checks a part of the queues and repairs inconsistencies: entries without a job, due times that are not
-- times, running jobs that no worker holds, unique keys without an owner, tags without a job, ends without a
-- time, jobs that wait for a thing that does not lead to them. Later calls check the rest.
--
-- KEYS[1]    hash of the jobs
-- ARGV[1]    now
-- ARGV[2]    number of the call
-- ARGV[3..]  "token:queue" for what no worker held at the last check
-- returns    how many jobs are in no structure, negative if entries have no job; faults of keys, as
--            sound.lua returns them; "token:queue" for what no worker holds; for each repair: what,
--            queue or empty, how often
-- errors     a key of the wrong type

local turn, QUEUES_AT_ONCE, ENTRIES, KEYS_AT_ONCE = tonumber(ARGV[2]), 100, 500, 100
local texts, queues = look_at_keys(false)
if not queues then
	return { 0, texts, {} }
end
local entries, unheld, unheld_before = 0, {}, {}
local reply = { 0, texts, unheld }

for i = 3, #ARGV do
	unheld_before[ARGV[i]] = true
end

local function repaired(what, queue, many)
	if many > 0 then
		reply[#reply + 1], reply[#reply + 2], reply[#reply + 3] = what, queue, many
	end
end

-- The members of a sorted set that this call checks.
local function checked(key, ...)
	local size = call('ZCARD', key)
	local from = size > ENTRIES and turn * ENTRIES % size or 0
	return call('ZRANGE', key, from, from + ENTRIES - 1, ...)
end

-- The ids in a slice of a sorted set that have a job, and their scores; other ids are removed.
local function slice(queue, part)
	local key, found, gone = of(queue, part), {}, {}
	local rows = checked(key, 'WITHSCORES')
	for i = 1, #rows, 2 do
		if call('HEXISTS', JOBS, rows[i]) == 1 then
			found[#found + 1] = { id = rows[i], score = rows[i + 1] }
		else
			gone[#gone + 1] = rows[i]
		end
	end
	if part == PART.RUNNING then
		stop(queue, gone)
	else
		each('ZREM', key, gone)
	end
	repaired('entries without a job in ' .. part, queue, #gone)
	return found
end

-- A job without a valid due time would wait for ever; it gets the one of its trail or record.
local function set_due_times(queue, part)
	local many, found = 0, slice(queue, part)
	for _, entry in ipairs(found) do
		if tonumber(entry.score) > 2 ^ 53 then
			local due = due_of(entry.id, call('HGET', JOBS, entry.id))
			call('ZADD', of(queue, part), 'XX', due, entry.id)
			signal_ready(queue, due)
			many = many + 1
		end
	end
	repaired('due times that are no times', queue, many)
	return found
end

-- Let the next takeover have the jobs that nobody holds. If the caller sees them for the first time, the next
-- beat of their worker may still restore them.
local function give_up_unheld(queue)
	local abandoned, seen, many = of(queue, PART.ABANDONED), {}, 0
	for _, entry in ipairs(slice(queue, PART.RUNNING)) do
		local token = token_of(entry.score)
		if tonumber(token) < 1 or tonumber(token) >= END_OF_TOKENS then
			token = '1'
			call('ZADD', of(queue, PART.RUNNING), 'XX', token .. '000', entry.id)
		end
		if seen[token] == nil then
			local name = token .. ':' .. queue
			local worker = fields(call('HGET', TOKENS, name) or '', 1)[1]
			local members = redis.pcall('SISMEMBER', held_by(worker), name)
			local holds = call('ZSCORE', LEASES, worker) and members == 1
			seen[token] = holds or call('SISMEMBER', abandoned, token) == 1
			if not seen[token] and unheld_before[name] then
				call('SADD', abandoned, token)
			elseif not seen[token] then
				unheld[#unheld + 1] = name
				seen[token] = true
			end
		end
		many = many + (seen[token] and 0 or 1)
	end
	repaired('running jobs that no worker held', queue, many)
end

local function free_keys(key, queue)
	local rows, gone = call('HRANDFIELD', key, KEYS_AT_ONCE, 'WITHVALUES'), {}
	for i = 1, #rows, 2 do
		local till, id = string.match(rows[i + 1], OWNER)
		if not id or call('HEXISTS', JOBS, id) == 0 then
			gone[#gone + 1] = rows[i]
		elseif till ~= '' and number(till) <= now then
			call('HDEL', key, rows[i])
		end
	end
	each('HDEL', key, gone)
	repaired('unique keys without an owner', queue, #gone)
end

local function drop_throttles(queue)
	local key, over = of(queue, PART.THROTTLES), {}
	local rows = call('HRANDFIELD', key, KEYS_AT_ONCE, 'WITHVALUES')
	for i = 1, #rows, 2 do
		if number(string.match(rows[i + 1], OWNER)) <= now then
			over[#over + 1] = rows[i]
		end
	end
	each('HDEL', key, over)
end

local function drop_tags(queue)
	local key, gone = of(queue, PART.TAGS), {}
	for _, member in ipairs(checked(key)) do
		local id = string.match(member, '^[^,]*,(.*)$')
		if not id or call('HEXISTS', JOBS, id) == 0 then
			gone[#gone + 1] = member
		end
	end
	each('ZREM', key, gone)
	repaired('tags without a job', queue, #gone)
end

-- A lane that has jobs in line is closed only if it is full, which the next claim finds out again.
local function tend_lanes(queue)
	local missing, entries = {}, {}
	for _, entry in ipairs(slice(queue, PART.LANED)) do
		local lane, urgency = standing_in(call('HGET', JOBS, entry.id))
		local due = lane and time_in(entry.score) or '0'
		if not lane then
			missing[#missing + 1] = entry.id
			leave(queue, entry.id, PART.LANED)
			enter(queue, { entry.id })
		elseif not call('ZSCORE', of(queue, PART.LINES), in_line_of(lane, urgency, entry.id, due))
				and not call('ZSCORE', of(queue, PART.LINES), in_line_of(lane, AHEAD, entry.id, due)) then
			missing[#missing + 1] = entry.id
			local at = #entries
			entries[at + 1], entries[at + 2], entries[at + 3], entries[at + 4] = lane, urgency, entry.id, due
		elseif call('ZADD', of(queue, PART.LANES), 0, lane) == 1 then
			signal_ready(queue, ARGV[1])
		end
	end
	if #entries > 0 then
		enter_lanes(queue, entries)
	end
	repaired('jobs in no line of their lane', queue, #missing)
end

-- Entries of a part, each a lane, a character 0 and more, of which the last is an id, that lead to no
-- job in another part.
local function drop_lane_entries(queue, part, others, before_id)
	local key, gone, lanes = of(queue, part), {}, {}
	for _, member in ipairs(checked(key)) do
		local lane, id = string.match(member, '^(%C*)%z' .. before_id .. '(.*)$')
		local found = member == NO_LANE
		for _, other in ipairs(id and others or {}) do
			found = found or call('ZSCORE', of(queue, other), id)
		end
		if not found then
			gone[#gone + 1] = member
			lanes[#lanes + 1] = lane
		end
	end
	each('ZREM', key, gone)
	for _, lane in ipairs(lanes) do
		if first_in(queue, lane) then
			call('ZADD', of(queue, PART.LANES), 0, lane)
			signal_ready(queue, ARGV[1])
		end
	end
	repaired('entries without a job in ' .. part, queue, #gone)
end

-- An end says until when it is kept, too.
local function set_times_of_ends()
	local ends, times, many = base .. 'ends', base .. 'ends-until', 0
	local some = call('HLEN', ends) > call('ZCARD', times) and call('HRANDFIELD', ends, KEYS_AT_ONCE) or {}
	for _, id in ipairs(some) do
		local till = time_in(fields(call('HGET', ends, id), 1)[1]) or ARGV[1]
		many = many + call('ZADD', times, 'NX', till, id)
	end
	repaired('ends without a time', '', many)
end

-- A job that waits for a thing is found by it. Its entry has the score that all others have, too.
local function list_waiters(queue)
	local many = 0
	for _, entry in ipairs(set_due_times(queue, PART.WAITING)) do
		many = many + call('ZADD', WAITERS, 0, waiter_of(queue, entry.id))
	end
	repaired('jobs that nothing releases', queue, many)
end

local function drop_waiters()
	local over = {}
	for _, waiter in ipairs(checked(WAITERS)) do
		local _, queue, id = unpack((netstrings(waiter, 3)))
		local waits = redis.pcall('ZSCORE', of(queue, PART.WAITING), id)
		if not waits or waiter_of(queue, id) ~= waiter then
			over[#over + 1] = waiter
		end
	end
	each('ZREM', WAITERS, over)
	repaired('things without a job that waits for them', '', #over)
end

table.sort(queues)
write_though_full()
for i = 1, math.min(#queues, QUEUES_AT_ONCE) do
	local queue = queues[(turn * QUEUES_AT_ONCE + i - 1) % #queues + 1]
	set_due_times(queue, PART.SCHEDULED)
	set_due_times(queue, PART.RETRY)
	list_waiters(queue)
	slice(queue, PART.DEAD)
	slice(queue, PART.DONE)
	give_up_unheld(queue)
	free_keys(of(queue, PART.UNIQUE), queue)
	drop_tags(queue)
	drop_throttles(queue)
	if call('EXISTS', of(queue, PART.LANED), of(queue, PART.LINES), of(queue, PART.OCCUPIED), of(queue, PART.KEPT)) > 0 then
		know_lanes(queue)
		tend_lanes(queue)
		drop_lane_entries(queue, PART.LINES, { PART.LANED }, string.rep('[-%d]', 17))
		drop_lane_entries(queue, PART.OCCUPIED, { PART.RUNNING }, '%z?')
		drop_lane_entries(queue, PART.KEPT, { PART.SCHEDULED, PART.RETRY, PART.WAITING, PART.DEAD }, '')
	end
end
free_keys(ACROSS_QUEUES, '')
set_times_of_ends()
drop_waiters()
for _, queue in ipairs(queues) do
	entries = entries + jobs_in(queue, SCORED)
end
reply[1] = #queues == call('HLEN', QUEUES) and call('HLEN', JOBS) - entries or 0
return reply
