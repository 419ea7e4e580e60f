-- Renews the lease of a worker, or registers or forgets it, and notes what its jobs told.
--
-- KEYS[1]  the hash of the jobs
-- ARGV     now, worker, until when the lease counts, 1 if it leaves, what it is as
--          fields or empty, number of its report, how many tallies that has, "token:queue" for
--          what it counts on as fields; then for each tally: minutes, start, queue, numbers;
--          then for each note: job, queue, token, progress
-- returns  "token:queue" for what it holds; the ids of those whose end was asked for; the
--          server's time in seconds and microseconds

local worker, cancelled = ARGV[2], {}

local notes = 9 + 4 * tonumber(ARGV[7])

-- Two tallies together.
local function sum(one, other)
	local sums, text = {}, {}
	for _, tally in ipairs({ one, other }) do
		for place, count in string.gmatch(tally, '(%d+)=(%d+)') do
			sums[place] = math.min((sums[place] or 0) + number(count), 2 ^ 53)
		end
	end
	for place, count in pairs(sums) do
		text[#text + 1] = place .. '=' .. string.format('%.0f', count)
	end
	return table.concat(text, ',')
end

local function report()
	for i = 9, notes - 1, 4 do
		local key, queue = tallies_of(ARGV[i], ARGV[i + 1]), ARGV[i + 2]
		local known = redis.pcall('HGET', key, queue)
		if type(known) == 'table' then
			call('RENAME', key, base .. 'aside:tally')
		end
		call('HSET', key, queue, type(known) == 'string' and sum(known, ARGV[i + 3]) or ARGV[i + 3])
		call('ZADD', starts_of(ARGV[i]), ARGV[i + 1], ARGV[i + 1])
	end
	call('HSET', REPORTED, worker, ARGV[6])
end

require_hashes(TOKENS, WORKERS, REPORTED, PROGRESS, WISHES)
for _, minutes in ipairs({ 1, 10 }) do
	call('ZCARD', starts_of(minutes))
end
call('ZCARD', LEASES)
call('SCARD', held_by(worker))
-- Whether a report is one that came before. A number far from its own is nobody's.
local function is_reported()
	local ahead = number(call('HGET', REPORTED, worker)) - tonumber(ARGV[6])
	return ahead >= 0 and ahead < 1000
end

-- Put back what the worker counts on, where jobs run under it that nobody has taken from it.
local function put_back(held)
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
			local running = redis.pcall('ZCOUNT', of(queue, 'running'), scores_of(token))
			local abandoned = running ~= 0 and redis.pcall('SISMEMBER', of(queue, 'abandoned'), token)
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
	return { {}, {}, call('TIME') }
end
local info = ARGV[5]
local known = info == '' and call('HGET', WORKERS, worker)
if known then
	local _, at = fields(known, 1)
	info = string.sub(known, at)
end
call('ZADD', LEASES, ARGV[3], worker)
call('HSET', WORKERS, worker, packed_with_version(ARGV[1]) .. info)

local held = put_back(call('SMEMBERS', held_by(worker)))
local wishes = #held > 0 and call('HGETALL', WISHES) or {}
for i = 1, #wishes, 2 do
	local token = running_token(wishes[i + 1], wishes[i])
	if token and call('SISMEMBER', held_by(worker), token .. ':' .. wishes[i + 1]) == 1 then
		cancelled[#cancelled + 1] = wishes[i]
	end
end
local open = {}
for _, name in ipairs(held) do
	local token = parts_of(name)
	open[#open + 1] = token and #token <= 16 and name or nil
end
return { open, cancelled, call('TIME') }
