-- Lists of any length, and numbers that any program may have written.
--
-- needs      keys
-- ARGV[1]    now
-- defines    now, WAITS, saved_of, append, read, number

local now, WAITS = tonumber(ARGV[1]), base .. 'waits'

-- The key of what a job has saved, a hash of names: time, colon, value. "savers" names the jobs that have one.
local function saved_of(id)
	return base .. 'saved:' .. id
end

-- Append a value to one of several lists.
local function append(lists, name, value)
	local list = lists[name]
	if list then
		list[#list + 1] = value
	else
		lists[name] = { value }
	end
end

-- Call a command that returns one value for each element of a list.
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

-- Anything but an exact number is 0.
local function number(text)
	local found = tonumber(text)
	return found and found == found and math.abs(found) <= 2 ^ 53 and found or 0
end
