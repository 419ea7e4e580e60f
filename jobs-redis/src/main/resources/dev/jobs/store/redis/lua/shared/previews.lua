-- The beginnings of large records, which lists read instead: a hash field can only be read whole, and the
-- server serves nobody meanwhile. If a preview is missing, the record is read.
--
-- needs      keys, fields
-- defines    PREVIEW, LARGE, payload_in, preview_of, store_record

-- A list has at most this much of a payload, which begins within the first bytes of a record.
local PREVIEW, LONGEST_HEAD = 512, 128 * 1024

-- Records longer than their preview by this much have one. Callers know the number, too.
local LARGE = 16 * 1024

-- Where the payload of a record begins. Anything that is not a record is all payload.
local function payload_in(record)
	if sub(record, 1, 1) ~= VERSION then
		return 1
	end
	local head, at = fields(record, 5)
	for _ = 1, 2 * number(head[5]) do
		at = at and at < LONGEST_HEAD and behind(record, at)
		if not at then
			return 1
		end
	end
	return at <= math.min(#record + 1, LONGEST_HEAD) and at or 1
end

-- The preview of a record, if it is large.
local function preview_of(record)
	local preview = #record > LARGE and sub(record, 1, payload_in(record) - 1 + PREVIEW)
	return preview and #record - #preview >= LARGE and preview
end

-- Store a record in place of another.
local function store_record(id, record)
	local preview = preview_of(record)
	call('HSET', JOBS, id, record)
	if preview then
		call('HSET', PREVIEWS, id, preview)
	else
		call('HDEL', PREVIEWS, id)
	end
end
