-- Shows jobs.
--
-- KEYS[1]  the hash of the jobs
-- ARGV     the present, a filter; ids
-- returns  what is shown of those that there are and that the filter may select

local ids, queues, queue_of, places = {}, {}, {}, {}
for i = 3, #ARGV do
	ids[i - 2] = ARGV[i]
end

for i, record in ipairs(read('HMGET', JOBS, ids)) do
	if record then
		local queue = fields(record, 3)[3]
		queues[queue] = queues[queue] or {}
		table.insert(queues[queue], ids[i])
		queue_of[i] = queue
	end
end

for queue, its in pairs(queues) do
	for _, part in ipairs({ 'running', 'dead', 'done', 'scheduled', 'retry' }) do
		for i, score in ipairs(read('ZMSCORE', of(queue, part), its)) do
			places[its[i]] = places[its[i]] or score and { part, score }
		end
	end
end

return sift({}, ARGV[2], ids, function(i)
	local place = places[ids[i]] or { 'ready', '' }
	return queue_of[i], place[1], place[2]
end)
