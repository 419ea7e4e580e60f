-- Moves a foreign key out of the place of one of the store's. A renamed key may belong to another program, so
-- several with the same first part are kept, as "aside:tally", "aside:tally:2" and so on.
--
-- needs      keys
-- defines    MOST_ASIDE, aside_of, rename_aside

local MOST_ASIDE = 9

local function aside_of(name, number)
	return base .. 'aside:' .. string.match(name, '^[^:]+') .. (number > 1 and ':' .. number or '')
end

-- Rename a key to the first free name of this kind, or else to the last one.
-- Returns the new name.
local function rename_aside(name)
	local number = 1
	while number < MOST_ASIDE and call('EXISTS', aside_of(name, number)) == 1 do
		number = number + 1
	end
	call('RENAME', base .. name, aside_of(name, number))
	return aside_of(name, number)
end
