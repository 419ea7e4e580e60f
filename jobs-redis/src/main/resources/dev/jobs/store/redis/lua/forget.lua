-- Looks at some of the schedules: removes those that nobody uses any more, and repairs when others are
-- to be looked at.
--
-- KEYS[1]    hash of the jobs
-- ARGV[1]    now
-- ARGV[2]    schedules that nobody used since this go
-- ARGV[3]    where to go on, or 0
-- returns    where to go on, or 0 after the last
-- errors     a key of the wrong type

require_hashes(SCHEDULES, SPECS)
call('ZCARD', TICKS)
local found = call('HSCAN', SCHEDULES, ARGV[3], 'COUNT', 200)
write_though_full()
for i = 1, #found[2], 2 do
	local name, known = found[2][i], fields(found[2][i + 1], 12)
	local is_pause, is_put = string.sub(name, 1, 1) == '\1', known[10] ~= ''
	local is_declared = not is_put or known[12] ~= ''
	if not is_pause and is_declared and number(known[4]) < tonumber(ARGV[2]) then
		forget_put(name, known)
		call('HDEL', SCHEDULES, name)
	elseif is_put and time_in(known[11]) then
		-- What another program has removed.
		call('ZADD', TICKS, known[11], name)
	end
end
for _, name in ipairs(ARGV[3] == '0' and call('ZRANGE', TICKS, 0, 199) or {}) do
	local known = find_schedule(name)
	if not known or known[10] == '' then
		forget_put(name, {})
	end
end
return { found[1] }
