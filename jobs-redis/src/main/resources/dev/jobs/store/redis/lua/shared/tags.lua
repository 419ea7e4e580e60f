-- The index of a queue's tags: "tag,id", ordered by tag, then by id. Tags are in the first header of a
-- record, separated by commas.
--
-- needs      keys, fields, unique
-- defines    tag, untag, has_marks, unmark

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

local function tag(queue, id, record)
	for _, name in ipairs(tags_in(record)) do
		call('ZADD', of(queue, PART.TAGS), 0, name .. ',' .. id)
	end
end

local function untag(queue, id, record)
	for _, name in ipairs(tags_in(record)) do
		call('ZREM', of(queue, PART.TAGS), name .. ',' .. id)
	end
end

-- Whether a job of a queue may own a key or have a tag.
local function has_marks(queue)
	return call('EXISTS', of(queue, PART.UNIQUE), ACROSS_QUEUES, of(queue, PART.TAGS)) > 0
end

local function unmark(queue, id, record)
	local key = key_in(record)
	if key then
		free(queue, id, key)
	end
	untag(queue, id, record)
end
