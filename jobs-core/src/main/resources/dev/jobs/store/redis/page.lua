-- Shows a slice of a queue's jobs.
--
-- KEYS[1]  the hash of the jobs
-- ARGV     the present, queue, offset, length; then the structures wanted
-- returns  1 if one of the structures goes on behind the slice; what is shown of the jobs

local queue, offset, length, more, rows = ARGV[2], tonumber(ARGV[3]), tonumber(ARGV[4]), 0, {}

-- Who asks passes over the first entry of each job that has one to be skipped.
local function view_ready()
	local ids = call('LRANGE', of(queue, 'ready'), offset, offset + length - 1)
	for _, id in ipairs(ids) do
		view(rows, queue, call('SISMEMBER', of(queue, 'skip'), id) == 1 and 'skipped' or 'ready', id, '')
	end
	return #ids
end

for i = 5, #ARGV do
	local size, part = 0, ARGV[i]
	if part == 'ready' then
		size = view_ready()
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
