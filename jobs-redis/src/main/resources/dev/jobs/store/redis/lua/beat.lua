-- Renews the lease of a worker, or registers or deregisters it, and stores the reports of its jobs.
--
-- KEYS[1]    hash of the jobs
-- ARGV[1]    now
-- ARGV[2]    worker
-- ARGV[3]    end of the lease
-- ARGV[4]    1 to deregister
-- ARGV[5]    description of the worker as JSON, or empty to keep what is stored
-- ARGV[6]    number of its report
-- ARGV[7]    number of tallies in the report
-- ARGV[8]    "token:queue" for what it holds, as fields
-- ARGV[9..]  for each tally: minutes, start, queue, counts; then for each running job that
--            reported something: id, queue, token, progress
-- returns    "token:queue" for what it holds, each with the number of jobs; ids of its jobs that
--            are to be cancelled; time of the server in seconds and microseconds; when the first
--            schedule that was put is to be looked at, or empty; revision of the settings for workers
-- errors     a key of the wrong type

local worker, cancelled = ARGV[2], {}

local notes = 9 + 4 * tonumber(ARGV[7])

-- A server that took over may lack the latest tokens, and its clock may be behind, as may that of a restarted
-- server. Skip as many tokens as a minute may have used.
local LEAP = 60 * 1000 * 8

local function leap_on_a_new_server()
	local last, known = last_token()
	local server = last > 0 and server_name() or known
	if server ~= known and last + LEAP < END_OF_TOKENS then
		local leap = known == '' and 0 or LEAP
		call('SET', base .. 'token', string.format('%.0f %s', last + leap, server))
	end
end

local function running_token(queue, id)
	local score = redis.pcall('ZSCORE', of(queue, PART.RUNNING), id)
	return type(score) == 'string' and token_of(score)
end

-- The sum of two tallies.
local function sum(one, other)
	local sums, text = {}, {}
	for _, tally in ipairs({ one, other }) do
		tally = string.sub(tally, 1, 1) == VERSION and tally or ''
		for place, count in string.gmatch(tally, '(%d+)=(%d+)') do
			sums[place] = math.min((sums[place] or 0) + number(count), 2 ^ 53)
		end
	end
	for place, count in pairs(sums) do
		text[#text + 1] = place .. '=' .. string.format('%.0f', count)
	end
	return VERSION .. table.concat(text, ',')
end

local function report()
	for i = 9, notes - 1, 4 do
		local key, queue = tallies_of(ARGV[i], ARGV[i + 1]), ARGV[i + 2]
		local known = redis.pcall('HGET', key, queue)
		if type(known) == 'table' then
			rename_aside(string.sub(key, #base + 1))
		end
		call('HSET', key, queue, type(known) == 'string' and sum(known, ARGV[i + 3]) or ARGV[i + 3])
		call('ZADD', starts_of(ARGV[i]), ARGV[i + 1], ARGV[i + 1])
	end
	call('HSET', REPORTED, worker, ARGV[6])
end

require_hashes(TOKENS, WORKERS, REPORTED, PROGRESS, CANCELLATIONS)
for _, minutes in ipairs({ 1, 10 }) do
	call('ZCARD', starts_of(minutes))
end
call('ZCARD', LEASES)
call('SCARD', held_by(worker))
call('STRLEN', base .. 'token')
-- Whether a report is a repeat. A number far from the expected one was written by another program.
local function is_reported()
	local ahead = number(call('HGET', REPORTED, worker)) - tonumber(ARGV[6])
	return ahead >= 0 and ahead < 1000
end

-- Restore the tokens that the worker holds, if jobs that were not taken over run under them.
local function restore(held)
	local names, is_held, at = {}, {}, 1
	for i, name in ipairs(held) do
		names[i], is_held[name] = name, true
	end
	while at <= #ARGV[8] do
		local length, from = string.match(ARGV[8], '^(%d+):()', at)
		at = from + length
		local name = string.sub(ARGV[8], from, at - 1)
		names[#names + 1] = not is_held[name] and name or nil
	end
	for i, holder in ipairs(read('HMGET', TOKENS, names)) do
		local token, queue = parts_of(names[i])
		local is_known = holder and fields(holder, 1)[1] == worker
		if token and not (is_known and is_held[names[i]]) then
			local running = redis.pcall('ZCOUNT', of(queue, PART.RUNNING), scores_of(token))
			local abandoned = running ~= 0 and redis.pcall('SISMEMBER', of(queue, PART.ABANDONED), token)
			if type(running) == 'number' and running > 0 and abandoned == 0 then
				call('HSET', TOKENS, names[i], is_known and holder or packed_with_version(worker, ARGV[1]))
				call('SADD', held_by(worker), names[i])
				held[#held + 1] = not is_held[names[i]] and names[i] or nil
			end
		end
	end
	return held
end

write_though_full()
if notes > 9 and not is_reported() then
	report()
end
for i = notes, #ARGV, 4 do
	if running_token(ARGV[i + 1], ARGV[i]) == ARGV[i + 2] then
		call('HSET', PROGRESS, ARGV[i], ARGV[i + 3])
	end
end
if ARGV[4] == '1' then
	forget(worker)
	return { {}, {}, call('TIME'), '', '0' }
end
local info = ARGV[5]
local known = info == '' and call('HGET', WORKERS, worker)
if known then
	local _, at = fields(known, 2)
	info = string.sub(known, at)
end
leap_on_a_new_server()
call('ZADD', LEASES, ARGV[3], worker)
call('HSET', WORKERS, worker, packed_with_version(ARGV[1], string.format('%.0f', ARGV[3] - ARGV[1])) .. info)

local held = restore(call('SMEMBERS', held_by(worker)))
local cancellations = #held > 0 and call('HGETALL', CANCELLATIONS) or {}
for i = 1, #cancellations, 2 do
	local token = running_token(cancellations[i + 1], cancellations[i])
	if token and call('SISMEMBER', held_by(worker), token .. ':' .. cancellations[i + 1]) == 1 then
		cancelled[#cancelled + 1] = cancellations[i]
	end
end
local open = {}
for _, name in ipairs(held) do
	local token, queue = parts_of(name)
	if token and #token <= 16 then
		local running = redis.pcall('ZCOUNT', of(queue, PART.RUNNING), scores_of(token))
		open[#open + 1] = name
		open[#open + 1] = type(running) == 'number' and running or 0
	end
end
local first = redis.pcall('ZRANGE', base .. 'ticks', 0, 0, 'WITHSCORES')
local revision = redis.pcall('HGET', base .. 'settings', '')
return { open, cancelled, call('TIME'), first[2] or '', string.format('%.0f', number(revision)) }
