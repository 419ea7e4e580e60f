-- Finds schedules put at run time that are due to be looked at.
--
-- KEYS[1]    hash of the jobs
-- ARGV[1]    now
-- ARGV[2]    how many at most
-- returns    when the next schedule after these is due, or empty; then for each: name, 1 if it is paused, the
--            schedule, its full definition
-- errors     a key of the wrong type

local names = call('ZRANGEBYSCORE', TICKS, '-inf', ARGV[1], 'LIMIT', 0, ARGV[2])
local later = call('ZRANGEBYSCORE', TICKS, '(' .. ARGV[1], '+inf', 'WITHSCORES', 'LIMIT', 0, 1)
local found = { later[2] or '' }
for _, name in ipairs(names) do
	local text, spec = call('HGET', SCHEDULES, name), call('HGET', SPECS, name)
	if text and spec then
		found[#found + 1] = name
		found[#found + 1] = call('HEXISTS', SCHEDULES, pause_of(name))
		found[#found + 1] = text
		found[#found + 1] = spec
	end
end
return found
