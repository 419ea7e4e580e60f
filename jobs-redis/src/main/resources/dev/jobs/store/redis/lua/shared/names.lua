-- Commands with lists of any length, and how jobs are added to the structures in which they wait.
--
-- needs      keys
-- ARGV[1]    now
-- defines    now, WAITS, each, read, add_ready, add_scheduled

local now, WAITS = tonumber(ARGV[1]), base .. 'waits'

-- Call a command with a list of any length; Lua passes a few thousand arguments at most.
local function each(command, key, list)
	local reply
	for from = 1, #list, 1000 do
		reply = call(command, key, unpack(list, from, math.min(from + 999, #list)))
	end
	return reply
end

-- The same for a command that returns one value for each element.
local function read(command, key, list)
	if #list <= 1000 then
		return #list > 0 and call(command, key, unpack(list)) or {}
	end
	local all = {}
	for from = 1, #list, 1000 do
		for _, value in ipairs(call(command, key, unpack(list, from, math.min(from + 999, #list)))) do
			all[#all + 1] = value
		end
	end
	return all
end

local function add_ready(queue, ids)
	local length = each('RPUSH', of(queue, PART.READY), ids)
	if length <= #ids or length - #ids <= call('SCARD', of(queue, PART.SKIP)) then
		signal_ready(queue, ARGV[1])
	end
end

-- Add jobs given as due, id, due, id ... and signal if one is due before all others.
local function add_scheduled(queue, part, scored)
	local first, least = math.huge, 1
	for _, other in ipairs({ PART.SCHEDULED, PART.RETRY }) do
		local head = call('ZRANGE', of(queue, other), 0, 0, 'WITHSCORES')
		first = math.min(first, tonumber(head[2] or math.huge))
	end
	for i = 3, #scored, 2 do
		least = tonumber(scored[i]) < tonumber(scored[least]) and i or least
	end
	each('ZADD', of(queue, part), scored)
	if tonumber(scored[least]) < first then
		signal_ready(queue, scored[least])
	end
end
