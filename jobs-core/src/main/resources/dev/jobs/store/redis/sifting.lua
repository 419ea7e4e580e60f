-- Shows those of many jobs that a filter may select. What is not certain is left to the caller, who
-- knows what a filter selects. A filter is given as fields: since, before, 1 if only those are wanted
-- that failed before, and a text in lower case; what is empty selects all.

local LONG = 2000

local WITH_OTHER_TIMES = { running = true, dead = true, done = true }

local function is_whole(number)
	return #number < 16 and string.match(number, '^%-?%d+$')
end

-- A job without a trail never failed, and is due as its record says.
local function may_fit(filter, part, record, trail)
	if trail or filter[3] == '1' then
		return trail
	elseif WITH_OTHER_TIMES[part] or (filter[1] == '' and filter[2] == '') then
		return true
	end
	local head, rest = fields(record, 5)
	local created, due = head[1], head[2] == '' and head[1] or head[2]
	if head[5] ~= '0' or rest > #record + 1 or not is_whole(created) or not is_whole(due) then
		return true
	end
	due = tonumber(due)
	return due >= (tonumber(filter[1]) or due) and due <= (tonumber(filter[2]) or due)
end

local function has(text, candidate)
	return string.find(string.lower(candidate), text, 1, true)
end

local ZERO, NINE, COLON = string.byte('09:', 1, 3)

-- Most fields are short, and a pattern is slow.
local function behind(text, at)
	at = at or #text + 1
	local first, second = string.byte(text, at, at + 1)
	if second == COLON and first >= ZERO and first <= NINE then
		return at + 2 + first - ZERO
	end
	local _, colon, length = string.find(text, '^(%d+):', at)
	return colon and colon + 1 + length
end

-- Nobody looks for what is in stacks, which are most of a trail.
local function may_tell(trail, text)
	local from, at = 1, 1
	for _ = 1, 5 do
		at = behind(trail, at)
	end
	while from and from <= #trail do
		local flag = behind(trail, behind(trail, behind(trail, at)))
		local has_stack = flag and string.sub(trail, flag, flag + 2) == '1:1'
		if has(text, string.sub(trail, from, has_stack and flag or #trail)) then
			return true
		end
		at = has_stack and behind(trail, flag + 3)
		from = at
	end
	return false
end

-- To look through a long payload takes longer than to send it.
local function may_contain(text, id, record, trail)
	return text == '' or #record > LONG or has(text, record) or has(text, id) or trail and may_tell(trail, text)
end

-- Show jobs; place_of tells of each queue, part and score.
local function sift(rows, filter, ids, place_of)
	local records, trails = read('HMGET', JOBS, ids), read('HMGET', TRAIL, ids)
	filter = filter ~= '' and fields(filter, 4)
	for i, id in ipairs(ids) do
		local record, trail = records[i], trails[i]
		if record and (not filter or may_contain(filter[4], id, record, trail)) then
			local queue, part, score = place_of(i)
			if not filter or may_fit(filter, part, record, trail) then
				view(rows, queue, part, id, score, record, trail)
			end
		end
	end
	return rows
end
