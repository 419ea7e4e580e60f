-- Finds schedules put at run time that are due to be looked at.
--
-- KEYS[1]    hash of the jobs
-- ARGV[1]    now
-- ARGV[2]    how many at most
-- ARGV[3]    the most characters of their definitions; the first may have more
-- ARGV[4]    the time of the place to begin after, or empty for the first
-- ARGV[5]    the name at that place
-- returns    1 if there are more; when the next schedule after these is due, or empty; then for each: name, 1 if
--            it is paused, the schedule, its full definition, when it is due
-- errors     a key of the wrong type

local function first_rank()
	if ARGV[4] == '' then
		return 0
	elseif call('ZSCORE', TICKS, ARGV[5]) == ARGV[4] then
		return call('ZRANK', TICKS, ARGV[5]) + 1
	end
	local rank = call('ZCOUNT', TICKS, '-inf', '(' .. ARGV[4])
	for _, name in ipairs(call('ZRANGEBYSCORE', TICKS, ARGV[4], ARGV[4])) do
		rank = name < ARGV[5] and rank + 1 or rank
	end
	return rank
end

local from, due = first_rank(), call('ZCOUNT', TICKS, '-inf', ARGV[1])
local names = call('ZRANGE', TICKS, from, math.min(from + ARGV[2], due) - 1, 'WITHSCORES')
local later = call('ZRANGE', TICKS, due, due, 'WITHSCORES')
local found, room, seen = { '', later[2] or '' }, tonumber(ARGV[3]), 0
for i = 1, due > from and #names or 0, 2 do
	local text, spec = call('HGET', SCHEDULES, names[i]) or '', call('HGET', SPECS, names[i]) or ''
	room = room - #spec
	if room < 0 and seen > 0 then
		break
	end
	seen = seen + 1
	for _, value in ipairs({ names[i], call('HEXISTS', SCHEDULES, pause_of(names[i])), text, spec, names[i + 1] }) do
		found[#found + 1] = value
	end
end
found[1] = from + seen < due and 1 or 0
return found
