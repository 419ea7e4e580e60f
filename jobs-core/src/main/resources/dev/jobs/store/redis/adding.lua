-- How jobs are added. Plain ones are gathered and written together.

local stored, added = {}, {}
local records, infos, ready, scheduled

local function gather()
	records, infos, ready, scheduled = {}, {}, {}, {}
end

local function flush()
	each('HSET', JOBS, records)
	each('HSET', KEYINFO, infos)
	for queue, ids in pairs(ready) do
		call('HSETNX', QUEUES, queue, '0;-1')
		add_ready(queue, ids)
	end
	for queue, scored in pairs(scheduled) do
		call('HSETNX', QUEUES, queue, '0;-1')
		add_scheduled(queue, 'scheduled', scored)
	end
	gather()
end

-- Do to the owner of a unique key what the rule of a duplicate says.
local function update(owning, job)
	local record = call('HGET', JOBS, owning)
	local head, body = fields(record, 3)
	local part = head[3] == job.queue and place(job.queue, owning)
	if job.rule == 'KEEP' or not part or not is_waiting(part) then
		return 'DUPLICATE', owning, due_of(owning, record)
	end
	local _, other = fields(job.record, 3)
	record = string.sub(record, 1, body - 1) .. string.sub(job.record, other)
	call('HSET', JOBS, owning, record)
	if job.rule == 'REPLACE' then
		return 'REPLACED', owning, due_of(owning, record)
	end
	move_to_wait(job.queue, owning, part, job.due, trail_of(owning))
	return 'RESCHEDULED', owning, job.due
end

local function is_full(job)
	if job.max == 0 then
		return false
	end
	flush()
	if waiting(job.queue) < job.max then
		return false
	end
	local refused = call('HGET', WAITS, 'length:' .. job.queue) or 0
	call('HSET', WAITS, 'length:' .. job.queue, math.max(tonumber(refused), job.max))
	return true
end

-- Add a job; replies the outcome, the id and the due time.
local function add(job)
	if added[job.id] then
		flush()
		stored[job.id] = call('HGET', JOBS, job.id)
	end
	if stored[job.id] then
		return 'NEW', job.id, due_of(job.id, stored[job.id])
	end
	local key = job.key ~= '' and fields(job.key, 4)
	local owning = key and owner(job.queue, key)
	if owning and (added[owning] or call('HEXISTS', JOBS, owning) == 1) then
		flush()
		return update(owning, job)
	end
	if is_full(job) then
		return 'FULL', job.id, job.due
	end
	added[job.id] = true
	records[#records + 1] = job.id
	records[#records + 1] = job.record
	if key then
		take(job.queue, job.id, key)
		infos[#infos + 1] = job.id
		infos[#infos + 1] = job.key
	end
	if tonumber(job.due) <= now then
		local ids = ready[job.queue] or {}
		ids[#ids + 1] = job.id
		ready[job.queue] = ids
	else
		local scored = scheduled[job.queue] or {}
		scored[#scored + 1] = job.due
		scored[#scored + 1] = job.id
		scheduled[job.queue] = scored
	end
	return 'NEW', job.id, job.due
end

-- The job whose seven arguments begin at an index.
local function job_at(i)
	return { id = ARGV[i], queue = ARGV[i + 1], record = ARGV[i + 2], due = ARGV[i + 3],
			max = tonumber(ARGV[i + 4]), key = ARGV[i + 5], rule = ARGV[i + 6] }
end

gather()
