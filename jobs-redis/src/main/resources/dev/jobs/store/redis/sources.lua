-- Lists the structures that the jobs of a selection are in, and of few jobs these too: a job that
-- moves from one structure to the next might be in neither when they are listed one by one.
--
-- KEYS[1]  the hash of the jobs
-- ARGV     the present, 1 if the latest come first, queue or empty for all, how many jobs are few;
--          then for each structure wanted: name, least and greatest score
-- returns  1 if entries are listed; for each structure that is not empty: queue, structure, how many
--          entries have a lesser score, how many are wanted, how many of these are to be skipped;
--          then, if they are listed, what entries.lua and skipped.lua return of it

local sources, total = {}, 0

local function add(queue, part, least, greatest)
	local key, low, size, skipped = of(queue, part), 0, 0, 0
	if part == 'ready' then
		size = call('LLEN', key)
		skipped = size > 0 and math.min(call('SCARD', of(queue, 'skip')), size) or 0
	else
		size = call('ZCOUNT', key, least, greatest)
		low = (size == 0 or least == '-inf') and 0 or call('ZCARD', key) - call('ZCOUNT', key, least, '+inf')
	end
	if size > 0 then
		sources[#sources + 1] = { queue = queue, part = part, key = key, low = low, size = size, skips = skipped > 0,
				skipped = skipped }
		total = total + size
	end
end

for _, queue in ipairs(ARGV[3] == '' and call('HKEYS', QUEUES) or { ARGV[3] }) do
	if not fault_in(queue) then
		for i = 5, #ARGV, 3 do
			add(queue, ARGV[i], ARGV[i + 1], ARGV[i + 2])
		end
	end
end

local are_few = total <= tonumber(ARGV[4])
local reply = { are_few and 1 or 0 }
for _, source in ipairs(sources) do
	for _, value in ipairs({ source.queue, source.part, source.low, source.size, source.skipped }) do
		reply[#reply + 1] = value
	end
	if are_few then
		reply[#reply + 1] = keyed_entries(source, 0, source.size)
		reply[#reply + 1] = source.skips and skipped_of(source, 0, source.size) or {}
	end
end
return reply
