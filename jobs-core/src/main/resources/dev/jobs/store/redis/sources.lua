-- Lists the structures that the jobs of a selection are in.
--
-- KEYS[1]  the hash of the jobs
-- ARGV     the present, queue or empty for all; then for each structure wanted: name, least and
--          greatest score
-- returns  for each that is not empty: queue, structure, how many entries have a lesser score,
--          how many are wanted, how many of these are to be skipped

local reply = {}

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
		for _, value in ipairs({ queue, part, low, size, skipped }) do
			reply[#reply + 1] = value
		end
	end
end

for _, queue in ipairs(ARGV[2] == '' and call('HKEYS', QUEUES) or { ARGV[2] }) do
	if not fault_in(queue) then
		for i = 3, #ARGV, 3 do
			add(queue, ARGV[i], ARGV[i + 1], ARGV[i + 2])
		end
	end
end
return reply
