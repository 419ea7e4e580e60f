-- Returns the statistics of spans of time.
--
-- KEYS[1]    hash of the jobs
-- ARGV[1]    now
-- ARGV[2]    length of a span in minutes
-- ARGV[3]    earliest start
-- ARGV[4]    end
-- ARGV[5..]  queues, or none for all
-- returns    for each span: its start, a list of queues and tallies
-- errors     none

local reply, queues = {}, {}
for i = 5, #ARGV do
	queues[#queues + 1] = ARGV[i]
end
for _, start in ipairs(call('ZRANGEBYSCORE', starts_of(ARGV[2]), ARGV[3], '(' .. ARGV[4])) do
	local key, found = tallies_of(ARGV[2], start), {}
	if #queues == 0 then
		found = call('HGETALL', key)
	else
		for i, tally in ipairs(read('HMGET', key, queues)) do
			if tally then
				found[#found + 1], found[#found + 2] = queues[i], tally
			end
		end
	end
	reply[#reply + 1] = start
	reply[#reply + 1] = found
end
return reply
