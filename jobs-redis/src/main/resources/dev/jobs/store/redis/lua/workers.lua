-- Returns the workers whose lease has not run out.
--
-- KEYS[1]    hash of the jobs
-- ARGV[1]    now
-- returns    for each worker: id, end of its lease, description, how many jobs it holds
-- errors     none

local reply = {}
local alive = call('ZRANGEBYSCORE', LEASES, ARGV[1], '+inf', 'WITHSCORES')
for i = 1, #alive, 2 do
	local running = 0
	for _, name in ipairs(call('SMEMBERS', held_by(alive[i]))) do
		local token, queue = parts_of(name)
		local count = token and redis.pcall('ZCOUNT', of(queue, PART.RUNNING), scores_of(token))
		running = running + (type(count) == 'number' and count or 0)
	end
	for _, value in ipairs({ alive[i], alive[i + 1], call('HGET', WORKERS, alive[i]) or '', running }) do
		reply[#reply + 1] = value
	end
end
return reply
