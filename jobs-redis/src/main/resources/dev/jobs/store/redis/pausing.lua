-- A pause is kept among the schedules, under a name that none of them has.
local SCHEDULES, PAUSE = base .. 'schedules', '1'

local function pause_of(schedule)
	return '\1' .. schedule
end
