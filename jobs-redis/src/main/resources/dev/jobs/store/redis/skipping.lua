-- The entries of a part of a ready list that may have to be skipped when they are popped: for
-- each its number, and its id if there is another of the same job, which is ready.

local function skipped_of(source, from, to)
	local listed, ids, found = entries(source, from, to), {}, {}
	for i = 1, #listed, 2 do
		ids[#ids + 1] = listed[i]
	end
	for i, skipped in ipairs(read('SMISMEMBER', of(source.queue, 'skip'), ids)) do
		if skipped == 1 then
			local is_ready = call('HEXISTS', JOBS, ids[i]) == 1 and place(source.queue, ids[i]) == 'ready'
			found[#found + 1], found[#found + 2] = from + i - 1, is_ready and ids[i] or ''
		end
	end
	return found
end
