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

-- How often one call pops entries to skip.
local HOPS = 1000

-- Take up to n jobs from the front of the line, where some may have to be skipped.
local function pop(queue, n, may_skip)
	local ready, skip, got = of(queue, PART.READY), of(queue, PART.SKIP), {}
	if not may_skip or call('EXISTS', skip) == 0 then
		return call('LPOP', ready, n) or got
	end
	for _ = 1, HOPS do
		local ids = #got < n and call('LPOP', ready, n - #got)
		if not ids then
			if #got < n then
				call('DEL', skip)
			end
			break
		end
		for _, id in ipairs(ids) do
			if call('SREM', skip, id) == 0 then
				got[#got + 1] = id
			end
		end
	end
	return got
end
