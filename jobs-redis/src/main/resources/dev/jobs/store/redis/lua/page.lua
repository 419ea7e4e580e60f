-- Lists jobs in the order of a page: those in the ready lists, queue by queue, then all others by time and
-- id; newest first is the reverse.
--
-- KEYS[1]    hash of the jobs
-- ARGV[1]    now
-- ARGV[2]    1 if the newest come first
-- ARGV[3]    queue, or empty for all
-- ARGV[4]    how many to list at most
-- ARGV[5]    1 if the ready lists are wanted
-- ARGV[6]    where to begin: empty for the front, or behind a job in "line" or at a "time"
-- ARGV[7]    queue of that job, or its time
-- ARGV[8]    its id
-- ARGV[9]    in line: id of the next job, if it is known
-- ARGV[10]   in line: how many were before it
-- ARGV[11..] for each structure: name, least score, greatest score
-- returns    for each entry: queue, structure, id, score, its time or, in line, how many were
--            before it; the structure is empty if the entry leads to no job
-- errors     none

local newest, limit, kind, found = ARGV[2] == '1', tonumber(ARGV[4]), ARGV[6], {}
local size_found, byte = 0, string.byte

-- The server's order of texts, whatever its locale.
local function is_less(text, other)
	for at = 1, math.max(#text, #other), 4 do
		local a, b, c, d = byte(text, at, at + 3)
		local w, x, y, z = byte(other, at, at + 3)
		if a ~= w then
			return (a or -1) < (w or -1)
		elseif b ~= x then
			return (b or -1) < (x or -1)
		elseif c ~= y then
			return (c or -1) < (y or -1)
		elseif d ~= z then
			return (d or -1) < (z or -1)
		end
	end
	return false
end

local function comes_before(text, other)
	return text ~= other and is_less(text, other) ~= newest
end

local function is_before(time, id, other_time, other_id)
	if time ~= other_time then
		return (time < other_time) ~= newest
	end
	return comes_before(id, other_id)
end

local function is_full()
	return size_found >= limit * 5
end

local function add(queue, part, id, score, at)
	found[size_found + 1], found[size_found + 2], found[size_found + 3] = queue, part, id
	found[size_found + 4], found[size_found + 5] = score, at
	size_found = size_found + 5
end

-- Whether a wanted structure of a queue cannot be read. The ready lists need all others, too.
local function is_unsound(queue)
	if ARGV[5] == '1' then
		return fault_in(queue)
	end
	for i = 11, #ARGV, 3 do
		if fault_of(of(queue, ARGV[i]), 'zset') then
			return true
		end
	end
	return false
end

local queues = {}
for _, queue in ipairs(ARGV[3] == '' and call('HKEYS', QUEUES) or { ARGV[3] }) do
	if not is_unsound(queue) then
		queues[#queues + 1] = queue
	end
end
table.sort(queues, comes_before)

-- The entries in a part of a ready list that are skipped when popped. A job that left the list and came back
-- is there twice, and its first entry does not count.
local function skipped_of(queue, ids, index_of)
	local skipped = {}
	for i, is_skipped in ipairs(read('SMISMEMBER', of(queue, PART.SKIP), ids)) do
		local id = ids[i]
		skipped[i] = is_skipped == 1 and (call('HEXISTS', JOBS, id) == 0 or place(queue, id) ~= PART.READY
				or call('LPOS', of(queue, PART.READY), id) == index_of(i))
	end
	return skipped
end

-- Search this many places further back: jobs may have been put in front since the last page.
local IN_FRONT = 1000

-- Find where to continue in a list whose jobs leave at the front. If the last listed job has left, so have all
-- before it; if the next job is now before it, the last one left and came back.
local function begin_in(key, size)
	local before, last, next = tonumber(ARGV[10]), ARGV[8], ARGV[9]
	if call('LINDEX', key, newest and -1 - before or before) == last then
		return before + 1
	end
	local function find(id)
		local at
		if newest then
			at = call('LPOS', key, id, 'RANK', -1)
		else
			at = call('LPOS', key, id, 'MAXLEN', before + 1 + IN_FRONT)
		end
		return at and (newest and size - 1 - at or at)
	end
	local last_at, next_at = find(last), next ~= '' and find(next)
	if not last_at or next ~= '' and not next_at then
		return newest and size or 0
	end
	return next_at and next_at < last_at and next_at or last_at + 1
end

local function list_line(queue, at)
	local key = of(queue, PART.READY)
	local size = call('LLEN', key)
	at = at or kind == 'line' and queue == ARGV[7] and begin_in(key, size) or 0
	local count = math.min(limit - size_found / 5, size - at)
	if count <= 0 then
		return
	end
	local ids = call('LRANGE', key, newest and size - at - count or at, newest and size - at - 1 or at + count - 1)
	local function index_of(i)
		return newest and size - at - i or at + i - 1
	end
	if newest then
		for i = 1, math.floor(#ids / 2) do
			ids[i], ids[#ids + 1 - i] = ids[#ids + 1 - i], ids[i]
		end
	end
	local skipped = skipped_of(queue, ids, index_of)
	for i, id in ipairs(ids) do
		add(queue, skipped[i] and '' or PART.READY, id, '', at + i - 1)
	end
end

local function list_lines()
	for _, queue in ipairs(ARGV[5] == '1' and queues or {}) do
		if not is_full() and not (kind == 'line' and comes_before(queue, ARGV[7])) then
			list_line(queue)
		end
	end
end

-- Scores may be infinite if another program wrote them.
local function started(queue, score)
	return number(fields(call('HGET', TOKENS, token_of(score) .. ':' .. queue) or '', 2)[2])
end

local is_behind = kind == 'time'
local time_before, id_before = is_behind and tonumber(ARGV[7]), ARGV[8]

-- Running jobs are ordered by token, so all of them are read; the workers bound their number.
local function running(queue)
	local listed, some = call('ZRANGE', of(queue, PART.RUNNING), 0, -1, 'WITHSCORES'), {}
	for i = 1, #listed, 2 do
		local time = started(queue, listed[i + 1])
		if not is_behind or is_before(time_before, id_before, time, listed[i]) then
			some[#some + 1] = { listed[i], listed[i + 1], time, string.format('%.0f', time) }
		end
	end
	table.sort(some, function(one, other) return is_before(one[3], one[1], other[3], other[1]) end)
	return { queue = queue, part = PART.RUNNING, at = 1, entries = some }
end

-- The number of entries of a sorted set before a time and an id.
local function rank_of(key, time, id)
	local score = call('ZSCORE', key, id)
	if score and tonumber(score) == tonumber(time) then
		return call('ZRANK', key, id), true
	end
	local low, high = call('ZCOUNT', key, '-inf', '(' .. time), call('ZCOUNT', key, '-inf', time)
	while low < high do
		local middle = math.floor((low + high) / 2)
		if is_less(call('ZRANGE', key, middle, middle)[1], id) then
			low = middle + 1
		else
			high = middle
		end
	end
	return low, false
end

-- A sorted set, from the first wanted rank up to the last, exclusive.
local function sorted(queue, part, least, greatest)
	local key = of(queue, part)
	local size = call('ZCARD', key)
	if size == 0 then
		return nil
	end
	local from = least == '-inf' and 0 or size - call('ZCOUNT', key, least, '+inf')
	local to = greatest == '+inf' and size or call('ZCOUNT', key, '-inf', greatest)
	if is_behind then
		local rank, is_there = rank_of(key, ARGV[7], id_before)
		if newest then
			to = math.min(to, rank)
		else
			from = math.max(from, is_there and rank + 1 or rank)
		end
	end
	return { queue = queue, part = part, key = key, from = from, to = to, at = 1, entries = {}, many = 1 }
end

local function read_on(source)
	source.at, source.entries = 1, {}
	if not source.key or source.from >= source.to then
		return
	end
	local many = math.min(source.many, source.to - source.from)
	local first = newest and source.to - many or source.from
	local listed = call('ZRANGE', source.key, first, first + many - 1, 'WITHSCORES')
	for i = 1, #listed, 2 do
		local at = newest and #listed - i or i
		source.entries[#source.entries + 1] = { listed[at], listed[at + 1], tonumber(listed[at + 1]), listed[at + 1] }
	end
	source.from, source.to = newest and source.from or source.from + many, newest and source.to - many or source.to
	source.many = math.min(source.many * 2, 500)
end

-- The sources as a heap; the first one has the next entry.
local heap = {}

local function is_first(one, other)
	local a, b = one.entries[one.at], other.entries[other.at]
	return is_before(a[3], a[1], b[3], b[1])
end

local function sink(at)
	local source = heap[at]
	while true do
		local child = at * 2
		if child < #heap and is_first(heap[child + 1], heap[child]) then
			child = child + 1
		end
		if child > #heap or not is_first(heap[child], source) then
			break
		end
		heap[at], at = heap[child], child
	end
	heap[at] = source
end

local function open()
	for _, queue in ipairs(queues) do
		for i = 11, #ARGV, 3 do
			local source
			if ARGV[i] == PART.RUNNING then
				source = running(queue)
			else
				source = sorted(queue, ARGV[i], ARGV[i + 1], ARGV[i + 2])
			end
			heap[#heap + 1] = source
		end
	end
	local sources, each = heap, math.max(2, math.ceil(2 * limit / math.max(1, #heap)))
	heap = {}
	for _, source in ipairs(sources) do
		if source.key then
			source.many = math.min(each, limit)
			read_on(source)
		end
		if source.entries[1] then
			heap[#heap + 1] = source
		end
	end
	for i = math.floor(#heap / 2), 1, -1 do
		sink(i)
	end
end

local function list_timed()
	if is_full() then
		return
	end
	open()
	while heap[1] and not is_full() do
		local source = heap[1]
		local entry = source.entries[source.at]
		add(source.queue, source.part, entry[1], entry[2], entry[4])
		source.at = source.at + 1
		if not source.entries[source.at] then
			read_on(source)
		end
		if not source.entries[source.at] then
			heap[1] = heap[#heap]
			heap[#heap] = nil
		end
		if heap[1] then
			sink(1)
		end
	end
end

if newest then
	if kind ~= 'line' then
		list_timed()
	end
	list_lines()
else
	if kind ~= 'time' then
		list_lines()
	end
	list_timed()
end
return found
