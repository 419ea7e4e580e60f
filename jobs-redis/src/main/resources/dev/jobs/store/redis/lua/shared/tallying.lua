-- The statistics of a queue in a span of time: "a0=5,7=2", the version and the counts that are not zero, by their
-- place. The starts of the spans of a length are in a set of their own.
--
-- needs      keys
-- defines    REPORTED, starts_of, tallies_of

local REPORTED = base .. 'reported'

local function starts_of(minutes)
	return base .. 'tallies:' .. minutes
end

local function tallies_of(minutes, start)
	return base .. 'tally:' .. minutes .. ':' .. start
end
