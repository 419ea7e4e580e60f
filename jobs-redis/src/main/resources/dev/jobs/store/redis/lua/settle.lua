-- Settles jobs that ended, each only if it is held under the given token.
--
-- KEYS[1]    hash of the jobs
-- ARGV[1]    now
-- ARGV[2]    number of batches of jobs that are simply removed and, behind a comma, of ends to keep, if there are
--            any or a job is to wait for a thing
-- ARGV[3..]  for each end: index of its job from 0, the end as it is stored; then for each batch: queue, token,
--            number of ids, ids; then for each other job: id, queue, token, where to, when, trail without
--            version and due time, 1 if it keeps the place of its lane
-- returns    for each job that was not settled: its index from 0, and GONE, LOST or UNDECIDED
-- errors     a key of the wrong type that all queues share

local reply, place, front, back, broken, is_rare = {}, 0, {}, {}, {}, {}
local has_trails, has_previews, has_saved = false, false, false

-- The ends to keep by the index of their job, and those of jobs that were settled.
local ends, ended = {}, {}

require_hashes(JOBS, TOKENS)
may_have_reports, may_be_awaited = false, false
if require_rare(PROGRESS, CANCELLATIONS, TRAIL, PREVIEWS, SAVERS, WAITS, ACROSS_QUEUES) then
	may_have_reports, has_trails = call('EXISTS', PROGRESS, CANCELLATIONS) > 0, call('EXISTS', TRAIL) == 1
	has_saved = call('EXISTS', SAVERS) == 1
	has_previews, may_be_awaited = call('EXISTS', PREVIEWS) == 1, call('EXISTS', WAITS) == 1
end

-- The given jobs that are held under a token, and the number of all held under it. The server returns names
-- faster than scores, but there may be far more names than were asked for.
local function held_under(queue, token, ids)
	local running, found, from, to = of(queue, PART.RUNNING), {}, scores_of(token)
	local all = call('ZCOUNT', running, from, to)
	if all <= 2 * #ids then
		for _, id in ipairs(call('ZRANGEBYSCORE', running, from, to)) do
			found[id] = true
		end
	else
		for i, score in ipairs(read('ZMSCORE', running, ids)) do
			found[ids[i]] = score and string.sub(score, 1, -4) == token
		end
	end
	return found, all
end

-- Take jobs out of the running ones if they are held under a token. Returns the jobs taken out.
local function release(queue, token, ids)
	if broken[queue] == nil then
		local fault, rare = fault_in(queue)
		broken[queue], is_rare[queue] = fault ~= nil, rare
	end
	local released, found, all = {}, {}, 0
	if not broken[queue] then
		found, all = held_under(queue, token, ids)
	end
	for i = 1, #ids do
		local id = ids[i]
		if found[id] then
			released[#released + 1] = id
			if ends[place] then
				ended[id] = ends[place]
			end
		else
			local others = not broken[queue] and call('ZSCORE', of(queue, PART.RUNNING), id)
			reply[#reply + 1] = place
			reply[#reply + 1] = broken[queue] and 'UNDECIDED' or others and 'LOST' or 'GONE'
		end
		place = place + 1
	end
	if #released > 0 and stop(queue, released) == all then
		forget_token(queue, token)
	end
	return released
end

local function free_keys(queue, ids, dead)
	for i, record in ipairs(has_keys(queue) and read('HMGET', JOBS, ids) or {}) do
		local key = key_in(record)
		if key and not (dead and key[1] == 'R') then
			free(queue, ids[i], key)
		end
	end
end

local function forget_all_saved(ids)
	for i, saved in ipairs(has_saved and read('HMGET', SAVERS, ids) or {}) do
		if saved then
			forget_saved(ids[i])
		end
	end
end

local function remove_all(queue, ids)
	for i, record in ipairs(is_rare[queue] and has_marks(queue) and read('HMGET', JOBS, ids) or {}) do
		if record then
			unmark(queue, ids[i], record)
		end
	end
	each('HDEL', JOBS, ids)
	if has_trails then
		each('HDEL', TRAIL, ids)
	end
	if has_previews then
		each('HDEL', PREVIEWS, ids)
	end
	forget_all_saved(ids)
end

local function keep_trail(id, text)
	local old = has_trails and call('HGET', TRAIL, id)
	if old or text ~= '' then
		put_trail(id, old and fields(old, 1)[1] or '', text)
	end
end

local function move(id, queue, to, at, trail)
	if to == 'SCHEDULED' then
		put_trail(id, at, trail)
		if tonumber(at) <= now then
			append(back, queue, id)
		else
			wait(queue, id, at, netstrings(trail, 1)[1])
		end
	elseif to == 'WAITING' then
		put_trail(id, at, trail)
		add_scheduled(queue, PART.WAITING, { at, id })
		call('ZADD', WAITERS, 0, waiter_of(queue, id))
	elseif to == 'FRONT' or to == 'HELD_BACK' then
		keep_trail(id, trail)
		local record = to == 'HELD_BACK' and call('HGET', JOBS, id)
		if record then
			gates().hold_back(queue, lane_in(record) or '', number(at))
		end
		append(front, queue, id)
		local key = key_of(id)
		if key then
			take(queue, id, key)
		end
	elseif to == 'REMOVED' then
		remove_all(queue, { id })
	else
		free_keys(queue, { id }, to == 'DEAD')
		keep_trail(id, trail)
		call('ZADD', of(queue, to == 'DEAD' and PART.DEAD or PART.DONE), at, id)
		if to ~= 'DEAD' then
			forget_all_saved({ id })
		end
	end
end

local i, batches = 3, tonumber(ARGV[2])
if not batches then
	local many
	batches, many = string.match(ARGV[2], '^(%d+),(%d+)$')
	require_hashes(base .. 'ends')
	call('ZCARD', base .. 'ends-until')
	call('ZCARD', WAITERS)
	for _ = 1, many do
		ends[tonumber(ARGV[i])] = ARGV[i + 1]
		i = i + 2
	end
end
for _ = 1, batches do
	local queue, token, count = ARGV[i], ARGV[i + 1], tonumber(ARGV[i + 2])
	local held = release(queue, token, { unpack(ARGV, i + 3, i + 2 + count) })
	if #held > 0 then
		remove_all(queue, held)
	end
	i = i + 3 + count
end
for at = i, #ARGV, 7 do
	local id, queue = ARGV[at], ARGV[at + 1]
	if #release(queue, ARGV[at + 2], { id }) > 0 then
		if ARGV[at + 6] == '1' then
			keep_lane(queue, id, call('HGET', JOBS, id))
		end
		move(id, queue, ARGV[at + 3], ARGV[at + 4], ARGV[at + 5])
	end
end
for queue, ids in pairs(back) do
	arrive(queue, ids)
end
for queue, ids in pairs(front) do
	local reversed = {}
	for n = #ids, 1, -1 do
		reversed[#reversed + 1] = ids[n]
	end
	arrive(queue, reversed, true, true)
end
if next(ended) then
	local kept, times, names = {}, {}, {}
	for id, text in pairs(ended) do
		kept[#kept + 1], kept[#kept + 2] = id, text
		times[#times + 1], times[#times + 2] = fields(text, 1)[1], id
		names[#names + 1] = pack(id)
	end
	each('HSET', base .. 'ends', kept)
	each('ZADD', base .. 'ends-until', times)
	signal('ended ' .. table.concat(names))
end
return reply
