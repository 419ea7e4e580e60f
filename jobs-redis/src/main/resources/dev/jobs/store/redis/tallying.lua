-- What happened to the jobs of a queue in a span of time: "0=5,7=2", the numbers that are
-- not zero, by their place. The starts of the spans of a length are in a set of their own.

local REPORTED = base .. 'reported'

local function starts_of(minutes)
	return base .. 'tallies:' .. minutes
end

local function tallies_of(minutes, start)
	return base .. 'tally:' .. minutes .. ':' .. start
end
