-- Lists a slice of the jobs that have a tag, in the order of queues, then of ids.
--
-- KEYS[1]  the hash of the jobs
-- ARGV     the present, tag, queue or empty for all, 1 if the latest ids come first, how many
--          to pass over, how many to find at most
-- returns  how many there are in all; the ids found

local first, last = '[' .. ARGV[2] .. ',', '(' .. ARGV[2] .. '-'
local skip, count, reply = tonumber(ARGV[5]), tonumber(ARGV[6]), { 0 }

local function slice(key, many)
	if ARGV[4] == '1' then
		return call('ZREVRANGEBYLEX', key, last, first, 'LIMIT', skip, many)
	end
	return call('ZRANGEBYLEX', key, first, last, 'LIMIT', skip, many)
end

local queues = ARGV[3] == '' and call('HKEYS', QUEUES) or { ARGV[3] }
table.sort(queues)
for _, queue in ipairs(queues) do
	local key = of(queue, 'tags')
	local size = (fault_in(queue) or fault_of(key, 'zset')) and 0 or call('ZLEXCOUNT', key, first, last)
	local many = math.min(count, size - skip)
	for _, member in ipairs(many > 0 and slice(key, many) or {}) do
		reply[#reply + 1] = string.sub(member, #ARGV[2] + 2)
	end
	reply[1] = reply[1] + size
	count = count - math.max(many, 0)
	skip = math.max(skip - size, 0)
end
return reply
