-- The line of a queue: its ready jobs without a lane. Only here does such a job become ready and leave the
-- line. A job that leaves from the middle stays in the list and is skipped when popped.
--
-- needs      keys
-- ARGV[1]    now
-- defines    enter, in_line, leave, pop

-- Put jobs that became ready at the end of the line, or in front. This is signalled if the line was empty,
-- unless the caller decides otherwise.
local function enter(queue, ids, in_front, is_news)
	local ready, length = of(queue, PART.READY), 0
	if in_front then
		length = each('LPUSH', ready, ids)
	elseif #ids == 1 then
		length = call('RPUSH', ready, ids[1])
	else
		length = each('RPUSH', ready, ids)
	end
	if is_news == nil then
		is_news = length <= #ids or length - #ids <= call('SCARD', of(queue, PART.SKIP))
	end
	if is_news then
		signal_ready(queue, ARGV[1])
	end
end

local function in_line(queue)
	return call('LLEN', of(queue, PART.READY)) - call('SCARD', of(queue, PART.SKIP))
end

-- Take a job out of the part in which it waits or is kept. An older entry that is marked to be skipped is
-- removed, so each job is in line only once.
local function leave(queue, id, part)
	if part ~= PART.READY then
		call('ZREM', of(queue, part), id)
	elseif call('SADD', of(queue, PART.SKIP), id) == 0 then
		call('LREM', of(queue, PART.READY), 1, id)
	end
end

-- How many lanes, or entries of the line to skip, one call passes.
local HOPS, SKIPS = 1000, 4000

-- Take up to n jobs from the front of the line, where some may have to be skipped. A job that left the line and came
-- back has an entry to skip and then another one.
local function pop(queue, n, may_skip)
	local ready, skip, got = of(queue, PART.READY), of(queue, PART.SKIP), {}
	if not may_skip or call('EXISTS', skip) == 0 then
		return call('LPOP', ready, n) or got
	end
	local asked, passed = math.min(n, 1000), 0
	while #got < n and passed < SKIPS do
		local ids, skipped, at = call('LRANGE', ready, 0, asked - 1), {}, 0
		if #ids == 0 then
			call('DEL', skip)
			break
		end
		for i, is_skipped in ipairs(call('SMISMEMBER', skip, unpack(ids))) do
			if is_skipped == 1 and not skipped[ids[i]] then
				skipped[#skipped + 1], skipped[ids[i]] = ids[i], true
			elseif #got < n then
				got[#got + 1] = ids[i]
			else
				break
			end
			at = i
		end
		call('LTRIM', ready, at, -1)
		each('SREM', skip, skipped)
		asked, passed = math.min(10 * asked, 1000), passed + #skipped
	end
	return got
end
