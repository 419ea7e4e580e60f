-- Finds a slice of a selection of jobs, ordered by when they entered their state or are due.
--
-- KEYS[1]  the hash of the jobs
-- ARGV     the present, 1 if the latest come first, how many to pass over, how many to find at
--          most, how many may be passed over where several structures have to be merged, queue
--          or empty for all; then for each structure wanted: name, least and greatest score
-- returns  how many there are in all; for each found: order, queue, structure, id, score

local latest_first, skip, count = ARGV[2] == '1', tonumber(ARGV[3]), tonumber(ARGV[4])
local sources, total = {}, 0

local function raw_order_of(source, id, score)
	if source.part == 'ready' then
		return tonumber(due_of(id, call('HGET', JOBS, id) or ''))
	elseif source.part == 'running' then
		return number(fields(call('HGET', TOKENS, token_of(score) .. ':' .. source.queue) or '', 2)[2])
	end
	return tonumber(score)
end

-- Scores may be infinite if somebody else has written them.
local function order_of(source, id, score)
	local order = raw_order_of(source, id, score)
	return order == order and math.max(math.min(order, 2 ^ 53), -2 ^ 53) or 0
end

-- An entry that is to be skipped when it is popped is that of a job which is gone or
-- elsewhere, or the one nearer the front of two.
local function is_live(source, id)
	if call('HEXISTS', JOBS, id) == 0 then
		return false
	elseif call('SISMEMBER', of(source.queue, 'skip'), id) == 0 then
		return true
	elseif place(source.queue, id) ~= 'ready' then
		return false
	end
	local seen = source.seen[id]
	source.seen[id] = true
	return latest_first ~= (seen or false)
end

local function read_chunk(source)
	local from = source.at
	local size = math.min(source.chunk, source.size - from)
	source.at, source.chunk = from + size, math.min(source.chunk * 2, 1000)
	source.head, source.entries = 1, {}
	if size <= 0 then
		return
	end
	if source.part == 'ready' then
		local first = latest_first and source.size - from - size or from
		local ids = call('LRANGE', of(source.queue, 'ready'), first, first + size - 1)
		for i = 1, #ids do
			local id = ids[latest_first and #ids + 1 - i or i]
			if is_live(source, id) then
				source.entries[#source.entries + 1] = { id, '' }
			end
		end
	else
		local first = source.low + (latest_first and source.size - from - size or from)
		local found = call('ZRANGE', of(source.queue, source.part), first, first + size - 1, 'WITHSCORES')
		for i = 1, #found, 2 do
			local n = latest_first and #found - i or i
			source.entries[#source.entries + 1] = { found[n], found[n + 1] }
		end
	end
end

-- Step to the next entry; replies whether there is one.
local function step(source)
	source.head = source.head + 1
	while source.head > #source.entries do
		if source.at >= source.size then
			return false
		end
		read_chunk(source)
	end
	local entry = source.entries[source.head]
	source.id, source.score = entry[1], entry[2]
	source.order = #sources > 1 and order_of(source, source.id, source.score) or 0
	return true
end

local function add_source(queue, part, least, greatest)
	local key, source = of(queue, part), { queue = queue, part = part, at = 0, head = 0, low = 0, chunk = 10,
			entries = {}, seen = {} }
	if part == 'ready' then
		source.size = call('LLEN', key)
		source.live = source.size - call('SCARD', of(queue, 'skip'))
	else
		source.size = call('ZCOUNT', key, least, greatest)
		source.low = least == '-inf' and 0 or call('ZCARD', key) - call('ZCOUNT', key, least, '+inf')
		source.live = source.size
	end
	if source.size > 0 then
		total = total + source.live
		sources[#sources + 1] = source
	end
end

local function before(one, other)
	if one.order ~= other.order then
		return (one.order < other.order) ~= latest_first
	end
	return one.id ~= other.id and (one.id < other.id) ~= latest_first
end

local heap = {}

local function sink(at)
	local source = heap[at]
	while true do
		local child = at * 2
		if child < #heap and before(heap[child + 1], heap[child]) then
			child = child + 1
		end
		if child > #heap or not before(heap[child], source) then
			break
		end
		heap[at] = heap[child]
		at = child
	end
	heap[at] = source
end

local names = ARGV[6] == '' and call('HKEYS', QUEUES) or { ARGV[6] }
for _, queue in ipairs(names) do
	if not fault_in(queue) then
		for i = 7, #ARGV, 3 do
			add_source(queue, ARGV[i], ARGV[i + 1], ARGV[i + 2])
		end
	end
end

local only = #sources == 1 and sources[1]
if skip >= total or count == 0 or (not only and skip > tonumber(ARGV[5])) then
	return { total }
elseif only and only.size == only.live then
	only.at, skip = skip, 0
	only.chunk = math.min(count, 1000)
end
for _, source in ipairs(sources) do
	if step(source) then
		heap[#heap + 1] = source
	end
end
for at = math.floor(#heap / 2), 1, -1 do
	sink(at)
end
local reply = { total }
while #heap > 0 and count > 0 do
	local source = heap[1]
	if skip > 0 then
		skip = skip - 1
	else
		count = count - 1
		local order = only and order_of(source, source.id, source.score) or source.order
		for _, value in ipairs({ string.format('%.0f', order), source.queue, source.part, source.id, source.score }) do
			reply[#reply + 1] = value
		end
	end
	if not step(source) then
		heap[1] = heap[#heap]
		heap[#heap] = nil
	end
	if #heap > 1 then
		sink(1)
	end
end
return reply
