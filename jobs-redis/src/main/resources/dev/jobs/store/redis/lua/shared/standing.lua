-- Gives a stored job another record, and the place that the lane and the urgency in it have.
--
-- needs      keys, names, line, fields, lanes, places, previews
-- defines    stand

-- Returns the part in which the job then is. One that kept the place of another lane gives it up.
local function stand(queue, id, part, old, record)
	local lane, urgency = standing_in(record)
	local old_lane, old_urgency = standing_in(old)
	local moves = (lane ~= old_lane or urgency ~= old_urgency) and (part == PART.READY or part == PART.LANED)
	if lane then
		know_lanes(queue)
	end
	if moves then
		if depart(queue, id, part) and lane == old_lane then
			keep_lane(queue, id, record)
		end
	elseif lane ~= old_lane then
		give_up_lane(queue, id)
	end
	store_record(id, record)
	if moves then
		arrive(queue, { id })
		part = place(queue, id)
	end
	return part
end
