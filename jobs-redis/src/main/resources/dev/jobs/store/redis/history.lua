-- Shows what happened in spans of time.
--
-- KEYS[1]  the hash of the jobs
-- ARGV     now, length of a span in minutes, from when, until when; then the queues,
--          all if there are none
-- returns  for each span: its start, and a list of queues and tallies

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
