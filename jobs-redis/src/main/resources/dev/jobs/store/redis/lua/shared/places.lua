-- Where a stored job is.
--
-- needs      keys
-- defines    SCORED, place

local SCORED = { PART.RUNNING, PART.DEAD, PART.DONE, PART.SCHEDULED, PART.RETRY, PART.LANED, PART.WAITING }

-- The part that a stored job is in, and its score there.
local function place(queue, id)
	for _, part in ipairs(SCORED) do
		local score = call('ZSCORE', of(queue, part), id)
		if score then
			return part, score
		end
	end
	return PART.READY
end
