-- Shows those of many jobs that a filter may select. What is not certain is left to the caller, who
-- knows what a filter selects. A filter is given as fields: since, before, 1 if only those are wanted
-- that failed before, and a text in lower case; what is empty selects all.

local byte, find, lower, sub = string.byte, string.find, string.lower, string.sub

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

local function longest_without_case(text)
	local longest = ''
	for run in string.gmatch(text, '[^a-z]+') do
		longest = #run > #longest and run or longest
	end
	return longest
end

-- A copy in lower case takes longer than to see that what has no case is not there.
local function has(filter, candidate)
	return find(candidate, filter.caseless, 1, true) and find(lower(candidate), filter[4], 1, true)
end

local ZERO, NINE, COLON = byte('09:', 1, 3)

-- Most fields are short, and a pattern is slow.
local function behind(text, at)
	at = at or #text + 1
	local first, second, third = byte(text, at, at + 2)
	if second == COLON and first >= ZERO and first <= NINE then
		return at + 2 + first - ZERO
	elseif third == COLON and first >= ZERO and first <= NINE and second >= ZERO and second <= NINE then
		return at + 3 + (first - ZERO) * 10 + second - ZERO
	end
	local _, colon, length = find(text, '^(%d+):', at)
	return colon and colon + 1 + length
end

-- What begins behind a text that may be missing; nothing if that is not to be found.
local function behind_optional(text, flag)
	if not flag then
		return nil
	end
	return sub(text, flag, flag + 2) == '1:1' and behind(text, flag + 3) or sub(text, flag, flag + 2) == '1:0' and flag + 3
end

-- Nobody looks for what is in stacks, which are most of a trail.
local function may_tell(trail, filter)
	if not find(trail, filter.caseless, 1, true) then
		return false
	end
	local from, at = 1, 2
	for _ = 1, 5 do
		at = behind(trail, at)
	end
	while from and from <= #trail do
		local flag = behind(trail, behind(trail, behind(trail, at)))
		if has(filter, sub(trail, from, flag or #trail)) then
			return true
		end
		at = behind_optional(trail, behind_optional(trail, flag))
		from = at
	end
	return false
end

-- To look through a long payload takes longer than to send it.
local function may_contain(filter, id, record, trail)
	return filter[4] == '' or #record > LONG or has(filter, record) or filter.in_ids and has(filter, id)
			or trail and may_tell(trail, filter)
end

local function filter_of(wanted, ids)
	local filter = wanted ~= '' and netstrings(wanted, 4)
	if filter then
		filter.caseless = longest_without_case(filter[4])
		filter.in_ids = has(filter, table.concat(ids, ' '))
	end
	return filter
end

-- Show jobs; place_of tells of each queue, part and score. Their records may be known.
local function sift(rows, wanted, ids, place_of, known)
	local records, trails = known or read('HMGET', JOBS, ids), read('HMGET', TRAIL, ids)
	local filter = filter_of(wanted, ids)
	for i, id in ipairs(ids) do
		local record, trail = records[i], trails[i]
		if record and (not filter or may_contain(filter, id, record, trail)) then
			local queue, part, score = place_of(i)
			if not filter or may_fit(filter, part, record, trail) then
				view(rows, queue, part, id, score, record, trail)
			end
		end
	end
	return rows
end
