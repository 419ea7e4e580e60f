-- Lists lanes of a queue that have ready jobs, in the order of their names, or looks at one lane.
--
-- KEYS[1]    hash of the jobs
-- ARGV[1]    now
-- ARGV[2]    queue
-- ARGV[3]    name behind which to begin, or the lane to look at
-- ARGV[4]    how many to list at most, or 0 to look at one
-- ARGV[5]    1 to count the running jobs of lanes
-- returns    1 if not all running jobs were looked at; names of lanes and how many of those jobs are theirs;
--            for each lane: name, ready jobs, running jobs that count for a limit, due time of the first or empty,
--            the job that keeps its place and is not ready or empty, its gate or empty
-- errors     none

local MOST_RUNNING = 1000

local queue, name, limit, running, names = ARGV[2], ARGV[3], tonumber(ARGV[4]), {}, {}
local reply = { 0, running }
if fault_in(queue) then
	return reply
end
local gated = call('EXISTS', of(queue, PART.GATES)) == 1

-- When the job that is due first in a lane is due, whatever its urgency.
local function first_due(lane)
	local due
	for urgency = 0, 3 do
		local from, to = within(lane, urgency, urgency)
		local first = call('ZRANGEBYLEX', of(queue, PART.LINES), from, to, 'LIMIT', 0, 1)[1]
		local at = first and tonumber(string.sub(first, #lane + 3, #lane + 18))
		due = at and math.min(at, due or at) or due
	end
	local first = first_in(queue, lane)
	local at = first and string.sub(first, #lane + 2, #lane + 2) == AHEAD
			and tonumber(call('ZSCORE', of(queue, PART.LANED), string.sub(first, #lane + 19)))
	due = at and math.min(at, due or at) or due
	return due and string.format('%.0f', due) or ''
end

local function add(lane)
	local from, to = within(lane)
	local at = #reply
	reply[at + 1], reply[at + 2] = lane, call('ZLEXCOUNT', of(queue, PART.LINES), from, to)
	reply[at + 3] = call('ZLEXCOUNT', of(queue, PART.OCCUPIED), from, to)
	reply[at + 4] = first_due(lane)
	local keeper = keeps_lanes(queue) and call('ZRANGEBYLEX', of(queue, PART.KEPT), from, to, 'LIMIT', 0, 1)[1]
	reply[at + 5] = keeper and string.sub(keeper, #lane + 2) or ''
	reply[at + 6] = gated and call('HGET', of(queue, PART.GATES), lane) or ''
end

if ARGV[5] == '1' then
	local counts = {}
	reply[1] = call('ZCARD', of(queue, PART.RUNNING)) > MOST_RUNNING and 1 or 0
	for _, record in ipairs(read('HMGET', JOBS, call('ZRANGE', of(queue, PART.RUNNING), 0, MOST_RUNNING - 1))) do
		local lane = lane_in(record)
		if lane and lane ~= '' then
			counts[lane] = (counts[lane] or 0) + 1
		end
	end
	for lane, count in pairs(counts) do
		running[#running + 1], running[#running + 2] = lane, count
	end
end
if limit == 0 then
	add(name)
	return reply
end
local from = '(' .. name .. '\1'
for _ = 1, limit do
	local first = call('ZRANGEBYLEX', of(queue, PART.LINES), from, '+', 'LIMIT', 0, 1)[1]
	local lane = first and string.match(first, '^(%C*)%z')
	if not lane then
		break
	end
	add(lane)
	from = '(' .. lane .. '\1'
end
return reply
