-- Counts the entries of structures that are before pivots.
--
-- KEYS[1]  the hash of the jobs
-- ARGV     the present, 1 if the latest come first, how many pivots, for each its order and id;
--          then structures
-- returns  for each structure and pivot, how many

-- Where the entries with the same order as a pivot are. Scores in between are as good.
local function level_with(source, order)
	local less = call('ZCOUNT', source.key, '-inf', string.format('(%.0f', order)) - source.low
	local more = call('ZCOUNT', source.key, '-inf', string.format('(%.0f', order + 1)) - source.low
	if latest_first then
		less, more = source.size - more, source.size - less
	end
	return math.max(math.min(less, source.to), source.from), math.max(math.min(more, source.to), source.from)
end

-- Jobs need not be quite in their order. The same entries are always asked in the same turn,
-- so each pivot comes to lie behind those before it, and anything between two pivots stays so.
local function search(source, low, high, order, id)
	while low < high do
		local stride, last = math.ceil((high - low) / 4), high
		for at = low + stride - 1, last - 1, stride do
			local is_behind = at >= source.to
			if not is_behind and at >= source.from then
				local listed = entries(source, at, at + 1)
				local its_order, its_id = key_of_entry(source, at, listed[1], listed[2])
				is_behind = not is_before(its_order, its_id, order, id)
			end
			if is_behind then
				high = at
				break
			end
			low = at + 1
		end
	end
	return low
end

local pivots, reply = tonumber(ARGV[3]), {}
for i = 4 + pivots * 2, #ARGV, 6 do
	local source = source_at(i)
	for pivot = 4, 2 + pivots * 2, 2 do
		local order, low, high = tonumber(ARGV[pivot]), 0, source.size
		if source.part ~= 'ready' and source.part ~= 'running' then
			low, high = level_with(source, order)
		end
		reply[#reply + 1] = search(source, low, high, order, ARGV[pivot + 1])
	end
end
return reply
