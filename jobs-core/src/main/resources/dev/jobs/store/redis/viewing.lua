-- What is shown of a job: id, queue, part, score, record, trail, holder, progress, and whether
-- its end was asked for.

local function view(rows, queue, part, id, score, record, trail)
	local running = part == 'running'
	score = running and token_of(score) or score
	for _, value in ipairs({ id, queue, part, score, record, trail or '',
			running and call('HGET', TOKENS, score .. ':' .. queue) or '',
			running and call('HGET', PROGRESS, id) or '',
			running and call('HEXISTS', WISHES, id) or 0 }) do
		rows[#rows + 1] = value
	end
end
