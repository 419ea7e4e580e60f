-- The queues that live workers serve. A worker is kept as its last beat, the length of its lease and,
-- as JSON, its description.
--
-- needs      keys, fields
-- ARGV[1]    now
-- defines    served_queues

local function add_queues(served, description)
	for _, pool in ipairs(cjson.decode(description).info.pools) do
		for _, name in ipairs(pool.queues) do
			served[name] = true
		end
	end
end

local function served_queues()
	local served = {}
	for _, worker in ipairs(call('ZRANGEBYSCORE', LEASES, ARGV[1], '+inf')) do
		local text = call('HGET', WORKERS, worker) or ''
		local _, at = fields(text, 2)
		pcall(add_queues, served, string.sub(text, at))
	end
	return served
end
