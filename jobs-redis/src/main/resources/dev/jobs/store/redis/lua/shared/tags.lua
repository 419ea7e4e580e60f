-- What is kept of a job beside its record while it is stored. The index of a queue's tags is "tag,id",
-- ordered by tag, then by id; tags are in the first header of a record, separated by commas. "expiring" has the
-- jobs that may expire, by when to look at them.
--
-- needs      keys, names, fields, unique
-- defines    expiry_in, tag, untag, has_marks, unmark

local function tags_in(record)
	local head, tags = fields(record, 5), {}
	if head[5] ~= '' and head[5] ~= '0' then
		head = fields(record, 7)
		for tag in string.gmatch(head[6] == 'jobs.tags' and head[7] or '', '[^,]+') do
			tags[#tags + 1] = tag
		end
	end
	return tags
end

-- The time by which a job must have started, its deadline, and whether it is dead if it expires. They are among
-- the first six headers of a record.
local function expiry_in(record)
	local many, found = number(fields(record, 5)[5]), {}
	local head = many > 0 and fields(record, 5 + 2 * math.min(many, 6)) or found
	for i = 6, #head, 2 do
		found[head[i]] = head[i + 1]
	end
	return time_in(found['jobs.expires'] or ''), time_in(found['jobs.deadline'] or ''), found['jobs.on-expiry'] == 'DEAD'
end

local function tag(queue, id, record)
	local expires, deadline = expiry_in(record)
	if expires or deadline then
		local first = expires and deadline and math.min(tonumber(expires), tonumber(deadline)) or expires or deadline
		call('ZADD', of(queue, PART.EXPIRING), string.format('%.0f', first), id)
	end
	for _, name in ipairs(tags_in(record)) do
		call('ZADD', of(queue, PART.TAGS), 0, name .. ',' .. id)
	end
end

local function untag(queue, id, record)
	local expires, deadline
	if record then
		expires, deadline = expiry_in(record)
	end
	if expires or deadline then
		call('ZREM', of(queue, PART.EXPIRING), id)
	end
	for _, name in ipairs(tags_in(record)) do
		call('ZREM', of(queue, PART.TAGS), name .. ',' .. id)
	end
end

-- Whether a job of a queue may own a key, have a tag, or expire.
local function has_marks(queue)
	return call('EXISTS', of(queue, PART.UNIQUE), ACROSS_QUEUES, of(queue, PART.TAGS), of(queue, PART.EXPIRING)) > 0
end

local function unmark(queue, id, record)
	local key = key_in(record)
	if key then
		free(queue, id, key)
	end
	untag(queue, id, record)
end
