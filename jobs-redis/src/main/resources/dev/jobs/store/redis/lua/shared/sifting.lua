-- Returns the jobs that a filter may select, as rows. The caller, who knows the whole filter, decides
-- uncertain cases. A filter is given as fields: since, before, 1 to get only
-- those that failed before, and a text in lower case; what is empty selects all. A row is id,
-- queue, structure, score, record, how many bytes at the end of that were left out, trail and, of a
-- running job, holder, progress, and whether it is to be cancelled.
--
-- needs      keys, names, fields, previews
-- defines    lower, view, affordable, records_of, sift

local lower, LONG = string.lower, 2000

-- The lengths of the records to read, and previews of large ones.
local sizes, previews = {}, {}

local function view(rows, queue, part, id, score, record, trail, whole)
	local token, at, size = part == PART.RUNNING and token_of(score), #rows, sizes[id] or #record
	if not whole and size > LONG then
		record = sub(record, 1, payload_in(record) - 1 + PREVIEW)
	end
	rows[at + 1], rows[at + 2], rows[at + 3], rows[at + 4] = id, queue, part, token or score
	rows[at + 5], rows[at + 6], rows[at + 7] = record, size - #record, trail or ''
	if token then
		rows[at + 8] = call('HGET', TOKENS, token .. ':' .. queue) or ''
		rows[at + 9] = call('HGET', PROGRESS, id) or ''
		rows[at + 10] = call('HEXISTS', CANCELLATIONS, id)
	end
end

-- The most bytes of jobs read at once, unless one job has more: the server serves nobody meanwhile.
local MOST_READ = 2 * 1024 * 1024

-- Return the first ids whose jobs can be read at once, with whole payloads or not and perhaps with their fields
-- of another hash, and the beginning of the reply: their number, and how many bytes are read.
local function affordable(ids, whole, other)
	local some, bytes = {}, 0
	for i, id in ipairs(ids) do
		local size = call('HSTRLEN', JOBS, id)
		local preview = not whole and size > LARGE and call('HGET', PREVIEWS, id)
		preview = preview and #preview < size and preview
		local part = (preview and #preview or size) + call('HSTRLEN', TRAIL, id)
				+ (other and call('HSTRLEN', other, id) or 0)
		if i > 1 and bytes + part > MOST_READ then
			break
		end
		some[i], bytes, sizes[id], previews[id] = id, bytes + part, size, preview or nil
	end
	return some, { #some, bytes }
end

-- The records of such jobs, or their previews.
local function records_of(ids)
	if not next(previews) then
		return read('HMGET', JOBS, ids)
	end
	local records = {}
	for i, id in ipairs(ids) do
		records[i] = previews[id] or call('HGET', JOBS, id)
	end
	return records
end

local WITH_OTHER_TIMES = { [PART.RUNNING] = true, [PART.DEAD] = true, [PART.DONE] = true }

local function is_whole(number)
	return #number < 16 and string.match(number, '^%-?%d+$')
end

-- A job without a trail never failed, and has the due time of its record.
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

-- The position after a text that may be missing; nothing if it cannot be found.
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

-- Add the rows of jobs, with whole payloads or not; place_of returns the queue, structure and score
-- of each. Their records may be known.
local function sift(rows, wanted, ids, whole, place_of, known)
	local records, trails = known or records_of(ids), read('HMGET', TRAIL, ids)
	local filter = filter_of(wanted, ids)
	for i, id in ipairs(ids) do
		local record, trail = records[i], trails[i]
		if record and (not filter or may_contain(filter, id, record, trail)) then
			local queue, part, score = place_of(i)
			if not filter or may_fit(filter, part, record, trail) then
				view(rows, queue, part, id, score, record, trail, whole)
			end
		end
	end
	return rows
end
