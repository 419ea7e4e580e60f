-- Stores new jobs as admit.lua does and remembers their ids after the jobs are gone.
--
-- KEYS[1]    hash of the jobs
-- ARGV[1]    now
-- ARGV[2]    how long to remember them, in milliseconds
-- ARGV[3..]  for each job: the arguments of admit.lua
-- returns    for each job: outcome, id, due time
-- errors     a full server refuses the first write; a key of the wrong type

local REMEMBERED, FORGOTTEN_AT_ONCE = base .. 'remembered', 1000
local period, ids, scored = tonumber(ARGV[2]), {}, {}
for i = 3, #ARGV, 6 do
	ids[#ids + 1] = ARGV[i]
end
for n, till in ipairs(read('ZMSCORE', REMEMBERED, ids)) do
	if till and tonumber(till) > now then
		stored[ids[n]] = ARGV[6 * n - 1]
	end
end
local reply = add_all(3)
for n, id in ipairs(ids) do
	if reply[3 * n - 2] ~= 'full' then
		scored[#scored + 1], scored[#scored + 2] = string.format('%.0f', now + period), id
	end
end
each('ZADD', REMEMBERED, scored)
each('ZREM', REMEMBERED, call('ZRANGEBYSCORE', REMEMBERED, '-inf', ARGV[1], 'LIMIT', 0, FORGOTTEN_AT_ONCE))
if call('PTTL', REMEMBERED) < period then
	call('PEXPIRE', REMEMBERED, ARGV[2])
end
return reply
