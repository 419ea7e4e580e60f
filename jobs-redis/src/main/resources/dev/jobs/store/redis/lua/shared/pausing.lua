-- How a paused schedule is known: among the schedules, under a name that none of them has.
--
-- needs      keys
-- defines    SCHEDULES, PAUSE, pause_of

local SCHEDULES, PAUSE = base .. 'schedules', '1'

local function pause_of(schedule)
	return '\1' .. schedule
end
