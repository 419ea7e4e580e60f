-- The types of the namespace's keys, and the treatment of a key with another type, which is no longer the
-- store's. A key that the store can rebuild is renamed, and work continues at once. Other keys are left for an
-- operator to restore or delete, and everything that needs them waits.
--
-- needs      keys, fields, aside
-- defines    look_at_keys

local KEPT = { partitions = 'string', jobs = 'hash', trail = 'hash', unique = 'hash', owners = 'hash', queues = 'hash',
		schedules = 'hash', specs = 'hash', remembered = 'zset' }
local RENEWED = { token = 'string', tokens = 'hash', leases = 'zset', workers = 'hash', waits = 'hash',
		progress = 'hash', cancellations = 'hash', previews = 'hash', savers = 'hash', reported = 'hash', notes = 'zset',
		settings = 'hash', ['tallies:1'] = 'zset', ['tallies:10'] = 'zset', ticks = 'zset', ends = 'hash',
		['ends-until'] = 'zset', waiters = 'zset' }

-- The keys whose names end with the id of a worker or a job, or with a time.
local MANY = { held = 'set', saved = 'hash', tally = 'hash' }

local function set_aside(texts, name, kind)
	local fault = fault_of(base .. name, kind)
	if fault then
		local aside = rename_aside(name)
		texts[#texts + 1] = '0'
		texts[#texts + 1] = fault .. '; it is now called ' .. aside .. ', and work goes on without what was there'
	end
	return not fault
end

local function set_aside_many(texts)
	for _, worker in ipairs(call('ZRANGE', LEASES, 0, -1)) do
		set_aside(texts, 'held:' .. worker, MANY.held)
	end
	for _, holder in ipairs(call('HVALS', TOKENS)) do
		set_aside(texts, 'held:' .. fields(holder, 1)[1], MANY.held)
	end
	for _, minutes in ipairs({ 1, 10 }) do
		for _, start in ipairs(call('ZRANGE', base .. 'tallies:' .. minutes, 0, -1)) do
			set_aside(texts, 'tally:' .. minutes .. ':' .. start, MANY.tally)
		end
	end
end

local function add_those_set_aside(texts)
	local names = {}
	for _, kinds in ipairs({ RENEWED, MANY }) do
		for name in pairs(kinds) do
			for number = 1, MOST_ASIDE do
				names[aside_of(name, number)] = true
			end
		end
	end
	for key in pairs(names) do
		if call('EXISTS', key) == 1 then
			texts[#texts + 1] = '0'
			texts[#texts + 1] = 'The key ' .. key .. ' was in the place of a key of the store; '
					.. 'find out what wrote it, then delete it'
		end
	end
end

-- Check all keys. Returns, for each fault, 1 if it stops work or 0 and a text; and the queues whose keys are
-- all sound, unless a key that must not be renamed is not.
local function look_at_keys(thoroughly)
	local texts, queues = {}, {}
	for name, kind in pairs(RENEWED) do
		set_aside(texts, name, kind)
	end
	for _, id in ipairs(call('EXISTS', SAVERS) == 1 and call('HRANDFIELD', SAVERS, 100) or {}) do
		set_aside(texts, 'saved:' .. id, MANY.saved)
	end
	if thoroughly then
		set_aside_many(texts)
	end
	for name, kind in pairs(KEPT) do
		local fault = fault_of(base .. name, kind)
		if fault then
			queues = nil
			texts[#texts + 1] = '1'
			texts[#texts + 1] = fault .. REMEDY
		end
	end
	local settings = fault_of(QUEUES, 'hash') and {} or call('HGETALL', QUEUES)
	for i = 1, #settings, 2 do
		local queue, fault = settings[i], fault_in(settings[i])
		if settings_of(settings[i + 1]).unsound then
			texts[#texts + 1] = '0'
			texts[#texts + 1] = 'The key ' .. QUEUES .. ' holds settings for the queue ' .. queue
					.. ' that cannot be read; a pause or a limit among these does not count until it is set again'
		end
		if fault then
			texts[#texts + 1] = '1'
			texts[#texts + 1] = fault
		elseif queues then
			queues[#queues + 1] = queue
		end
	end
	add_those_set_aside(texts)
	return texts, queues
end
