-- A pause is kept among the schedules, under a name that none of them has. It looks like
-- one touched in the far future, so no earlier version forgets it as too old.
local SCHEDULES, PAUSE = base .. 'schedules', pack('', '', '', '9999999999999')

local function pause_of(schedule)
	return '\1' .. schedule
end
