-- Saves values of running jobs, each only if the job is held under the given token.
--
-- KEYS[1]    hash of the jobs
-- ARGV[1]    now
-- ARGV[2..]  for each value: job, queue, token, name, value
-- returns    for each value that was not saved: its index from 0, and GONE or LOST
-- errors     a key of the wrong type; a value is saved again if the call is repeated

local reply = {}
require_hashes(JOBS, SAVERS)
-- The effect has happened, and jobs that cannot save would hold their threads until there is room.
write_though_full()
for i = 2, #ARGV, 5 do
	local id, held = ARGV[i], call('ZSCORE', of(ARGV[i + 1], PART.RUNNING), ARGV[i])
	if held and token_of(held) == ARGV[i + 2] then
		call('HSET', SAVERS, id, '')
		call('HSET', saved_of(id), ARGV[i + 3], VERSION .. ARGV[1] .. ':' .. ARGV[i + 4])
	else
		reply[#reply + 1] = (i - 2) / 5
		reply[#reply + 1] = held and 'LOST' or 'GONE'
	end
end
return reply
