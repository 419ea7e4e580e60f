-- Shows a slice of a queue's jobs.
--
-- KEYS[1]  the hash of the jobs
-- ARGV     the present, queue, offset, length; then the structures wanted
-- returns  1 if one of the structures goes on behind the slice; what is shown of the jobs

local queue, offset, length, more, rows = ARGV[2], tonumber(ARGV[3]), tonumber(ARGV[4]), 0, {}

-- An entry to be skipped comes before the live one of the same job, if there is one.
local function view_ready()
	local skipped, ids = {}, call('LRANGE', of(queue, 'ready'), 0, offset + length - 1)
	for i, id in ipairs(ids) do
		if not skipped[id] and call('SISMEMBER', of(queue, 'skip'), id) == 1 then
			skipped[id] = true
		elseif i > offset then
			view(rows, queue, 'ready', id, '')
		end
	end
	return #ids
end

for i = 5, #ARGV do
	local size, part = 0, ARGV[i]
	if part == 'ready' then
		size = view_ready() - offset
	else
		local found = call('ZRANGE', of(queue, part), offset, offset + length - 1, 'WITHSCORES')
		size = #found / 2
		for n = 1, #found, 2 do
			view(rows, queue, part, found[n], found[n + 1])
		end
	end
	more = size >= length and 1 or more
end
return { more, rows }
