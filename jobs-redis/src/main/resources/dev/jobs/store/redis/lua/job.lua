-- Returns jobs by id, and ends that are kept.
--
-- KEYS[1]    hash of the jobs
-- ARGV[1]    now
-- ARGV[2]    filter as fields, or empty
-- ARGV[3]    1 to get whole payloads; ends to get the kept ends of these ids
-- ARGV[4..]  ids
-- returns    how many of these ids were looked up; how many bytes were read; if wanted, ids and ends; rows of
--            the existing jobs that the filter may select
-- errors     none

local ids, queues, queue_of, places = {}, {}, {}, {}

local function queue_in(record)
	local from = behind(record, behind(record, 2))
	local to = behind(record, from)
	return to and sub(record, find(record, ':', from, true) + 1, to - 1) or ''
end

for i = 4, #ARGV do
	ids[i - 3] = ARGV[i]
end

local rows
local ENDS = ARGV[3] == 'ends' and base .. 'ends'
ids, rows = affordable(ids, ARGV[3] == '1', ENDS)
if ENDS then
	local ends = {}
	for i, kept in ipairs(read('HMGET', ENDS, ids)) do
		if kept then
			ends[#ends + 1], ends[#ends + 2] = ids[i], kept
		end
	end
	rows[3] = ends
end

local records = records_of(ids)
for i, record in ipairs(records) do
	if record then
		local queue = queue_in(record)
		append(queues, queue, ids[i])
		queue_of[i] = queue
	end
end

-- Record the structure of each job found in it, and return the other jobs.
local function find_in(queue, part, its)
	local left = {}
	for i, score in ipairs(#its > 0 and read('ZMSCORE', of(queue, part), its) or {}) do
		if score then
			places[its[i]] = { part, score }
		else
			left[#left + 1] = its[i]
		end
	end
	return left
end

for queue, its in pairs(queues) do
	for _, part in ipairs(SCORED) do
		its = find_in(queue, part, its)
	end
end

return sift(rows, ARGV[2], ids, ARGV[3] == '1', function(i)
	local found = places[ids[i]] or { PART.READY, '' }
	return queue_of[i], found[1], found[2]
end, records)
