-- Returns those of many jobs that a filter may select, as rows. What is not certain is left to the
-- caller, who knows the whole filter. A filter is given as fields: since, before, 1 to get only
-- those that failed before, and a text in lower case; what is empty selects all. A row is id,
-- queue, structure, score, record, trail and, of a running job, holder, progress, and whether it
-- is to be cancelled.
--
-- needs      keys, names, fields
-- defines    view, behind, sift

local function view(rows, queue, part, id, score, record, trail)
	local token, at = part == 'running' and token_of(score), #rows
	rows[at + 1], rows[at + 2], rows[at + 3] = id, queue, part
	rows[at + 4], rows[at + 5], rows[at + 6] = token or score, record, trail or ''
	if token then
		rows[at + 7] = call('HGET', TOKENS, token .. ':' .. queue) or ''
		rows[at + 8] = call('HGET', PROGRESS, id) or ''
		rows[at + 9] = call('HEXISTS', CANCELLATIONS, id)
	end
end

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

-- Making a copy in lower case takes longer than searching the part of a text that has no case.
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

-- Where what follows a text that may be missing begins; nothing if that cannot be found.
local function behind_optional(text, flag)
	if not flag then
		return nil
	end
	return sub(text, flag, flag + 2) == '1:1' and behind(text, flag + 3) or sub(text, flag, flag + 2) == '1:0' and flag + 3
end

-- Stack traces, which are most of a trail, are not searched.
local function may_contain_in_trail(trail, filter)
	if not has(filter, trail) then
		return false
	end
	local from, at = 1, 2
	for _ = 1, 5 do
		at = behind(trail, at)
	end
	while from and from <= #trail do
		local flag = at
		for _ = 1, 4 do
			flag = behind(trail, flag)
		end
		flag = behind_optional(trail, flag)
		if has(filter, sub(trail, from, flag or #trail)) then
			return true
		end
		at = behind_optional(trail, behind_optional(trail, flag))
		from = at
	end
	return false
end

-- Searching a long payload takes longer than sending it.
local function may_contain(filter, id, record, trail)
	return filter[4] == '' or #record > LONG or has(filter, record) or filter.in_ids and has(filter, id)
			or trail and may_contain_in_trail(trail, filter)
end

local function filter_of(wanted, ids)
	local filter = wanted ~= '' and netstrings(wanted, 4)
	if filter then
		filter.caseless = longest_without_case(filter[4])
		filter.in_ids = has(filter, table.concat(ids, ' '))
	end
	return filter
end

-- Add the rows of jobs; place_of returns the queue, structure and score of each. Their records may
-- be known.
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
