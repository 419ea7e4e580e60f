-- The queues that live workers serve. The description of a worker begins with its last beat, the
-- length of its lease, host, pid, version, start and number of pools; each pool has a name, a
-- concurrency, how many jobs it runs, and a number of queues.
--
-- needs      keys, fields
-- ARGV[1]    now
-- defines    served_queues

local function served_queues()
	local served = {}
	for _, worker in ipairs(call('ZRANGEBYSCORE', LEASES, ARGV[1], '+inf')) do
		local text = call('HGET', WORKERS, worker) or ''
		local _, at = fields(text, 2)
		text = string.sub(text, at)
		local head, pools = netstrings(text, text == '' and 0 or 5)
		text = string.sub(text, pools)
		for _ = 1, math.min(number(head[5]), #text) do
			local pool, queues = netstrings(text, 4)
			if queues == 1 then
				break
			end
			local names, rest = netstrings(string.sub(text, queues), math.min(number(pool[4]), #text))
			for _, name in ipairs(names) do
				served[name] = true
			end
			text = string.sub(text, queues + rest - 1)
		end
	end
	return served
end
