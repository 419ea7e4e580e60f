-- Settles jobs that ended, each only if it is held under the token given.
--
-- KEYS[1]  the hash of the jobs
-- ARGV     the present; then for each job: id, queue, token, where to, when, trail
--          without due time
-- returns  for each job: APPLIED, GONE or LOST

local reply, moves, queues, ended = {}, {}, {}, {}
local gone, back, later, front = {}, {}, {}, {}

local function append(lists, name, ...)
	local list = lists[name] or {}
	for _, value in ipairs({ ... }) do
		list[#list + 1] = value
	end
	lists[name] = list
end

for i = 2, #ARGV, 6 do
	local queue = queues[ARGV[i + 1]] or { ids = {}, at = {}, left = {}, tokens = {} }
	queues[ARGV[i + 1]] = queue
	queue.ids[#queue.ids + 1] = ARGV[i]
	queue.at[#queue.at + 1] = i
end
local scores = {}
for name, queue in pairs(queues) do
	for n, score in ipairs(read('ZMSCORE', of(name, 'running'), queue.ids)) do
		scores[queue.at[n]] = score and math.floor(tonumber(score))
	end
end
for i = 2, #ARGV, 6 do
	local id, name, outcome = ARGV[i], ARGV[i + 1], 'APPLIED'
	if not scores[i] or ended[id] then
		outcome = 'GONE'
	elseif scores[i] ~= tonumber(ARGV[i + 2]) then
		outcome = 'LOST'
	else
		ended[id] = true
		moves[#moves + 1] = i
		queues[name].left[#queues[name].left + 1] = id
		queues[name].tokens[ARGV[i + 2]] = true
	end
	reply[#reply + 1] = outcome
end
if #moves == 0 then
	return reply
end
local told_of = call('EXISTS', PROGRESS, WISHES) > 0
for name, queue in pairs(queues) do
	each('ZREM', of(name, 'running'), queue.left)
	if told_of then
		each('HDEL', PROGRESS, queue.left)
		each('HDEL', WISHES, queue.left)
	end
	for token in pairs(queue.tokens) do
		close(name, token)
	end
end

local has_keys, has_trails = call('EXISTS', KEYINFO) == 1, call('EXISTS', TRAIL) == 1

local function keep_trail(id, text)
	local old = has_trails and call('HGET', TRAIL, id)
	if old or text ~= '' then
		put_trail(id, old and fields(old, 1)[1] or '', text)
	end
end

for _, i in ipairs(moves) do
	local id, queue, to, at, trail = ARGV[i], ARGV[i + 1], ARGV[i + 3], ARGV[i + 4], ARGV[i + 5]
	local key = has_keys and key_of(id)
	if to == 'SCHEDULED' then
		put_trail(id, at, trail)
		local retrying = trail ~= '' and tonumber(fields(trail, 1)[1]) > 1
		if tonumber(at) <= now then
			append(back, queue, id)
		else
			add_scheduled(queue, retrying and 'retry' or 'scheduled', { at, id })
		end
	elseif to == 'FRONT' then
		keep_trail(id, trail)
		append(front, queue, id)
		if key then
			take(queue, id, key)
		end
	else
		if key and not (to == 'DEAD' and key[1] == 'UNTIL_REMOVED') then
			free(queue, id, key)
		end
		if to == 'GONE' then
			gone[#gone + 1] = id
		else
			keep_trail(id, trail)
			call('ZADD', of(queue, to == 'DEAD' and 'dead' or 'done'), at, id)
		end
	end
end
each('HDEL', JOBS, gone)
if has_keys then
	each('HDEL', KEYINFO, gone)
end
if has_trails then
	each('HDEL', TRAIL, gone)
end
for queue, ids in pairs(back) do
	add_ready(queue, ids)
end
for queue, ids in pairs(front) do
	local reversed = {}
	for n = #ids, 1, -1 do
		reversed[#reversed + 1] = ids[n]
	end
	each('LPUSH', of(queue, 'ready'), reversed)
	signal_ready(queue, ARGV[1])
end
if call('EXISTS', WAITS) == 1 then
	for name, queue in pairs(queues) do
		if #queue.left > 0 and call('HDEL', WAITS, 'limit:' .. name) == 1 then
			signal_ready(name, ARGV[1])
		end
	end
end
return reply
