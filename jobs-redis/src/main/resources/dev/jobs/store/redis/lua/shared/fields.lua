-- The stored forms of a job. A text of fields is a row of netstrings ("5:hello"), so they may contain any
-- bytes; any other text has empty fields. A form begins with the version of its format, a letter; a form of
-- another version has empty fields, too. A record begins with the creation time, the due time, the queue and
-- the unique key; a trail with the due time, if it differs from the record's.
--
-- needs      keys, names
-- defines    TRAIL, PROGRESS, CANCELLATIONS, TOKENS, LEASES, WORKERS, PREVIEWS, SAVERS, ACROSS_QUEUES,
--            WAITERS, write_though_full, netstrings, fields, byte, find, sub, behind, COMMON, RARE, REMEDY, fault_in,
--            time_in, pack, packed_with_version, due_of, waiter_of, PLACES, token_of, parts_of, UNSET, settings_of, scores_of

local TRAIL, PROGRESS, CANCELLATIONS, TOKENS = base .. 'trail', base .. 'progress', base .. 'cancellations', base .. 'tokens'
local LEASES, WORKERS, PREVIEWS, SAVERS = base .. 'leases', base .. 'workers', base .. 'previews', base .. 'savers'

-- The unique keys across queues.
local ACROSS_QUEUES = base .. 'unique'

-- The jobs that wait for a thing, by this thing.
local WAITERS = base .. 'waiters'

-- A full server checks only the first write of a script; this one may always run.
local function write_though_full()
	call('HDEL', WAITS, '')
end

-- The first fields of a row of netstrings, and the position after them.
local function netstrings(text, count, at)
	local found = {}
	at = at or 1
	for i = 1, count do
		local length, from = string.match(text, '^(%d+):()', at)
		from = from or at
		at = from + (length or 0)
		found[i] = string.sub(text, from, at - 1)
	end
	return found, at
end

-- The first fields of a stored form, and the position after them.
local function fields(text, count)
	if string.sub(text, 1, 1) ~= VERSION then
		return (netstrings('', count)), #text + 1
	end
	return netstrings(text, count, 2)
end

local byte, find, sub = string.byte, string.find, string.sub

local ZERO, NINE, COLON = byte('09:', 1, 3)

-- Where the field behind another begins, if both are there. Most fields are short, and a pattern is slow.
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

-- The parts of a queue, each before its type; among the rare ones those that exist most often are first.
local COMMON = { PART.READY, 'list', PART.RUNNING, 'zset' }
local RARE = { PART.SCHEDULED, 'zset', PART.RETRY, 'zset', PART.DEAD, 'zset', PART.DONE, 'zset', PART.UNIQUE, 'hash',
		PART.TAGS, 'zset', PART.LANES, 'zset', PART.LANED, 'zset', PART.LINES, 'zset', PART.OCCUPIED, 'zset',
		PART.EXPIRING, 'zset', PART.GATES, 'hash', PART.GATED, 'zset', PART.KEPT, 'zset', PART.LANESETTINGS, 'hash',
		PART.THROTTLES, 'hash', PART.SKIP, 'set', PART.ABANDONED, 'set', PART.WAITING, 'zset' }

local REMEDY = '; what needs it waits until it is restored, or deleted or renamed'

-- The fault among parts, at most this many of which exist.
local function fault_among(queue, parts, many)
	for i = 1, #parts, 2 do
		local fault, exists = fault_of(of(queue, parts[i]), parts[i + 1])
		many = exists and many - 1 or many
		if fault or many == 0 then
			return fault and fault .. REMEDY
		end
	end
end

-- A key of the wrong type stops only its queue. Returns the fault, and whether there may be anything but
-- ready and running jobs.
local function fault_in(queue)
	local rare = { ACROSS_QUEUES }
	for i = 1, #RARE, 2 do
		rare[#rare + 1] = of(queue, RARE[i])
	end
	local many = call('EXISTS', unpack(rare))
	return fault_among(queue, COMMON, 2) or many > 0 and fault_among(queue, RARE, many) or nil, many > 0
end

-- A time in milliseconds, if it is one.
local function time_in(text)
	return string.match(text, '^%-?%d+$') and math.abs(tonumber(text)) <= 2 ^ 53 and text
end

local function pack(...)
	local packed = {}
	for i, value in ipairs({ ... }) do
		packed[i] = #value .. ':' .. value
	end
	return table.concat(packed)
end

local function packed_with_version(...)
	return VERSION .. pack(...)
end

-- A job's due time is in its trail or, if it is not there, in its record.
local function due_of(id, record)
	local trail = call('HGET', TRAIL, id)
	local due = trail and fields(trail, 1)[1] or ''
	if due == '' then
		local head = fields(record, 2)
		due = head[2] == '' and head[1] or head[2]
	end
	return time_in(due) or '0'
end

-- The entry of a job in "waiters": what it waits for by its trail, its queue and its id.
local function waiter_of(queue, id)
	local trail = call('HGET', TRAIL, id)
	return pack(netstrings(trail and fields(trail, 4)[4] or '', 2)[2], queue, id)
end

-- The score of a running job is its token and, in the last three digits, its place in the
-- claim.
local PLACES = 1000

local function token_of(score)
	return score and string.format('%.0f', math.floor(math.max(math.min(tonumber(score), 2 ^ 53), 0) / PLACES))
end

-- The token and the queue in a name made of both, if it is such a name.
local function parts_of(name)
	return string.match(name, '^(%d+):(.*)$')
end

-- The settings of a queue: version, when it was paused and by whom, limit, when it was set and by
-- whom. A queue that is not paused has an empty time, one without a limit -1. A field that cannot be
-- read sets nothing, and makes the settings unsound.
local UNSET = { '0', '', '', '-1', '', '' }

local function settings_of(meta)
	if not meta or meta == DEFAULT_SETTINGS then
		return UNSET
	end
	local found = fields(meta, 6)
	if not time_in(found[1]) then
		found[1], found.unsound = '0', true
	end
	if found[2] ~= '' and not time_in(found[2]) then
		found[2], found[3], found.unsound = '', '', true
	end
	local is_limit = string.match(found[4], '^%d+$') and tonumber(found[4]) < 2 ^ 31 and time_in(found[5])
	if found[4] ~= '-1' and not is_limit then
		found[4], found[5], found[6], found.unsound = '-1', '', '', true
	end
	return found
end

local function scores_of(token)
	if not string.match(token, '^%d+$') then
		return '1', '0'
	end
	return token .. '000', token .. '999'
end
