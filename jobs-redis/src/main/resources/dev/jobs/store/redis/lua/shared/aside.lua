-- Where a key goes that is in the place of one of the store's. A renamed key may belong to another
-- program, so several with one first part stay beside each other, as "aside:tally", "aside:tally:2" and so on.
--
-- needs      keys
-- defines    MOST_ASIDE, aside_of, rename_aside

local MOST_ASIDE = 9

local function aside_of(name, number)
	return base .. 'aside:' .. string.match(name, '^[^:]+') .. (number > 1 and ':' .. number or '')
end

-- Rename a key to the first such name that is free, or else to the last one.
-- Returns the new name.
local function rename_aside(name)
	local number = 1
	while number < MOST_ASIDE and call('EXISTS', aside_of(name, number)) == 1 do
		number = number + 1
	end
	call('RENAME', base .. name, aside_of(name, number))
	return aside_of(name, number)
end
