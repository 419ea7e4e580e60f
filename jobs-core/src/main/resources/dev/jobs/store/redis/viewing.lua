-- What is shown of jobs: id, queue, part, score, record, trail and, of those that run, holder,
-- progress, and whether their end was asked for.

local function view(rows, queue, part, id, score, record, trail)
	for _, value in ipairs({ id, queue, part, part == 'running' and token_of(score) or score, record, trail or '' }) do
		rows[#rows + 1] = value
	end
	if part == 'running' then
		rows[#rows + 1] = call('HGET', TOKENS, rows[#rows - 2] .. ':' .. queue) or ''
		rows[#rows + 1] = call('HGET', PROGRESS, id) or ''
		rows[#rows + 1] = call('HEXISTS', WISHES, id)
	end
end
