-- Removes ended jobs that are too old or too many, buries waiting jobs that no worker handles, ends those that
-- have expired, and removes old statistics and ends that were kept long enough.
--
-- KEYS[1]    hash of the jobs
-- ARGV[1]    now
-- ARGV[2]    dead jobs older than this go, or empty
-- ARGV[3]    how many dead jobs each queue keeps, or 0
-- ARGV[4]    history older than this goes, or empty
-- ARGV[5]    how many jobs of the history each queue keeps, or 0
-- ARGV[6]    jobs that wait since before this are buried, or empty
-- ARGV[7]    limit
-- ARGV[8]    end of a job that no worker handles
-- ARGV[9]    end of a job that is dead since it has expired
-- ARGV[10]   when to look again at a running job that may expire
-- ARGV[11..] for each length of spans: minutes, earliest start that is kept
-- returns    how many dead, how many of the history, how many buried; 1 if the limit was reached; for each job
--            that has expired: id, queue, 1 if it is kept
-- errors     a key of the wrong type

local ENDS, UNTIL = base .. 'ends', base .. 'ends-until'

local expired = {}
local left, dead, history, stranded = math.max(tonumber(ARGV[7]), 0), 0, 0, 0
local served = ARGV[6] ~= '' and served_queues()

local function prune(queue, part, before, kept)
	local key, many = of(queue, part), 0
	if before ~= '' then
		many = call('ZCOUNT', key, '-inf', '(' .. before)
	end
	if kept > 0 then
		many = math.max(many, call('ZCARD', key) - kept)
	end
	many = math.min(many, left)
	for _, id in ipairs(many > 0 and call('ZRANGE', key, 0, many - 1) or {}) do
		remove(queue, id, part)
	end
	left = left - many
	return many
end

local function bury(queue, id, ending)
	local key = key_of(id)
	if key and key[1] ~= 'R' then
		free(queue, id, key)
	end
	local trail = trail_of(id)
	trail.ending = ending
	store_trail(id, trail)
	call('ZADD', of(queue, PART.DEAD), ARGV[1], id)
	left = left - 1
end

local function bury_stranded(queue, id)
	bury(queue, id, ARGV[8])
	stranded = stranded + 1
end

local function bury_ready(queue)
	local id = left > 0 and pop(queue, 1, true)[1]
	while id do
		local record = call('HGET', JOBS, id)
		if record and tonumber(due_of(id, record)) >= tonumber(ARGV[6]) then
			enter(queue, { id }, true, false)
			return
		elseif record then
			bury_stranded(queue, id)
		end
		id = left > 0 and pop(queue, 1, true)[1]
	end
end

local function bury_scheduled(queue, part)
	local ids = left > 0 and call('ZRANGEBYSCORE', of(queue, part), '-inf', '(' .. ARGV[6], 'LIMIT', 0, left) or {}
	for _, id in ipairs(ids) do
		depart(queue, id, part)
		bury_stranded(queue, id)
	end
end

-- End a waiting job if it has expired. Returns when to look at it again, if ever.
local function expire(queue, id, record, part)
	local expires, deadline, kept = expiry_in(record)
	local trail, due = trail_of(id), tonumber(due_of(id, record))
	local begun = trail.attempts ~= '' or string.find(trail.counters, '[1-9]')
	local in_force = deadline and due <= tonumber(deadline)
	if not (expires and not begun and due <= tonumber(expires) and tonumber(expires) <= now)
			and not (in_force and tonumber(deadline) <= now) then
		return in_force and deadline
	end
	kept = kept or begun
	if kept then
		depart(queue, id, part)
		bury(queue, id, ARGV[9])
	else
		remove(queue, id, part)
		left = left - 1
	end
	expired[#expired + 1], expired[#expired + 2], expired[#expired + 3] = id, queue, kept and 1 or 0
end

local function expire_all(queue)
	local key = of(queue, PART.EXPIRING)
	for _, id in ipairs(left > 0 and call('ZRANGEBYSCORE', key, '-inf', ARGV[1], 'LIMIT', 0, left) or {}) do
		local record = call('HGET', JOBS, id)
		local part, again = record and place(queue, id), nil
		if part == PART.RUNNING then
			again = ARGV[10]
		elseif part and is_waiting(part) then
			again = expire(queue, id, record, part)
		elseif part then
			local _, deadline = expiry_in(record)
			again = deadline and tonumber(deadline) > now and deadline
		end
		if again then
			call('ZADD', key, again, id)
		else
			call('ZREM', key, id)
		end
	end
end

local function forget_ends()
	local over = left > 0 and call('ZRANGEBYSCORE', UNTIL, '-inf', ARGV[1], 'LIMIT', 0, left) or {}
	each('HDEL', ENDS, over)
	each('ZREM', UNTIL, over)
	left = left - #over
end

require_hashes(JOBS, TRAIL, PREVIEWS, SAVERS, QUEUES, WORKERS, ACROSS_QUEUES, ENDS)
call('ZCARD', LEASES)
call('ZCARD', UNTIL)
for i = 11, #ARGV, 2 do
	call('ZCARD', starts_of(ARGV[i]))
end
write_though_full()
local sound = {}
for _, queue in ipairs(call('HKEYS', QUEUES)) do
	sound[#sound + 1] = not fault_in(queue) and queue or nil
end
for _, queue in ipairs(sound) do
	dead = dead + prune(queue, PART.DEAD, ARGV[2], tonumber(ARGV[3]))
	history = history + prune(queue, PART.DONE, ARGV[4], tonumber(ARGV[5]))
	gates().drop_gates(queue, 1000)
	if served and not served[queue] then
		bury_ready(queue)
		bury_scheduled(queue, PART.SCHEDULED)
		bury_scheduled(queue, PART.RETRY)
		bury_scheduled(queue, PART.LANED)
		bury_scheduled(queue, PART.WAITING)
		signal_room(queue)
	end
	local before = #expired
	expire_all(queue)
	if #expired > before then
		signal_room(queue)
	end
end
forget_ends()
for i = 11, #ARGV, 2 do
	local starts = starts_of(ARGV[i])
	for _, start in ipairs(call('ZRANGEBYSCORE', starts, '-inf', '(' .. ARGV[i + 1], 'LIMIT', 0, 1000)) do
		call('UNLINK', tallies_of(ARGV[i], start))
		call('ZREM', starts, start)
	end
end
return { dead, history, stranded, left == 0 and 1 or 0, expired }
