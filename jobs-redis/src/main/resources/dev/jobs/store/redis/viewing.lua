-- What is shown of jobs: id, queue, part, score, record, trail and, of those that run, holder,
-- progress, and whether their end was asked for.

local function view(rows, queue, part, id, score, record, trail)
	local token, at = part == 'running' and token_of(score), #rows
	rows[at + 1], rows[at + 2], rows[at + 3] = id, queue, part
	rows[at + 4], rows[at + 5], rows[at + 6] = token or score, record, trail or ''
	if token then
		rows[at + 7] = call('HGET', TOKENS, token .. ':' .. queue) or ''
		rows[at + 8] = call('HGET', PROGRESS, id) or ''
		rows[at + 9] = call('HEXISTS', WISHES, id)
	end
end
