-- By what the entries of a structure are ordered: when the job entered its state or is due,
-- then by id. ARGV[2] is 1 if the latest come first; entries are then numbered from the end.

local latest_first = ARGV[2] == '1'

-- Structures are given as queue, part, how many entries before them are left out, how many
-- there are, and from where to where they matter.
local function source_at(i)
	local source = { queue = ARGV[i], part = ARGV[i + 1], low = tonumber(ARGV[i + 2]), size = tonumber(ARGV[i + 3]),
			from = tonumber(ARGV[i + 4]), to = tonumber(ARGV[i + 5]) }
	source.key = of(source.queue, source.part)
	source.skips = source.part == 'ready' and call('EXISTS', of(source.queue, 'skip')) == 1
	return source
end

-- Scores may be infinite if somebody else has written them.
local function whole(order)
	return order == order and math.floor(math.max(math.min(order, 2 ^ 53), -2 ^ 53)) or 0
end

local function order_of(source, id, score)
	if source.part == 'running' then
		return whole(number(fields(call('HGET', TOKENS, token_of(score) .. ':' .. source.queue) or '', 2)[2]))
	elseif source.part ~= 'ready' then
		return whole(tonumber(score))
	end
	local record = not (source.skips and call('SISMEMBER', of(source.queue, 'skip'), id) == 1) and call('HGET', JOBS, id)
	return record and whole(tonumber(due_of(id, record)))
end

-- The entries from one to before another, as id, score, id, score ...
local function entries(source, from, to)
	local first = source.low + (latest_first and source.size - to or from)
	local last = first + to - from - 1
	local found, listed = {}, source.part ~= 'ready' and call('ZRANGE', source.key, first, last, 'WITHSCORES')
	if not listed then
		for i, id in ipairs(call('LRANGE', source.key, first, last)) do
			found[i * 2 - 1], found[i * 2] = id, ''
		end
		listed = found
	end
	if latest_first then
		found = {}
		for i = #listed - 1, 1, -2 do
			found[#found + 1], found[#found + 2] = listed[i], listed[i + 1]
		end
		listed = found
	end
	return listed
end

-- By what an entry is compared. One whose job is gone or elsewhere goes by another behind it.
local function key_of_entry(source, at, id, score)
	local order, further = id and order_of(source, id, score), 1
	while not order and at + further < source.size do
		id, score = unpack(entries(source, at + further, at + further + 1))
		order, further = id and order_of(source, id, score), further * 2
	end
	return order or 0, order and id or ''
end

-- Entries as id, score, and the order and the id by which each is compared.
local function keyed_entries(source, from, to)
	local keyed, listed = {}, entries(source, from, to)
	for i = 1, #listed, 2 do
		local order, id = key_of_entry(source, from + (i - 1) / 2, listed[i], listed[i + 1])
		local last = #keyed
		keyed[last + 1], keyed[last + 2], keyed[last + 3], keyed[last + 4] = listed[i], listed[i + 1],
				string.format('%.0f', order), id
	end
	return keyed
end

-- As the server orders them, whatever its locale is.
local function is_less(id, other)
	local at = 1
	while true do
		local one, two = string.byte(id, at) or -1, string.byte(other, at) or -1
		if one ~= two or one < 0 then
			return one < two
		end
		at = at + 1
	end
end

local function is_before(order, id, other_order, other_id)
	if order ~= other_order then
		return (order < other_order) ~= latest_first
	end
	return id ~= other_id and is_less(id, other_id) ~= latest_first
end
