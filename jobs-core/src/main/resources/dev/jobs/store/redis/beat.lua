-- Renews the lease of a worker, or registers or forgets it, and notes what its jobs told.
--
-- KEYS[1]  the hash of the jobs
-- ARGV     the present, worker, until when the lease counts, 1 if it leaves, what it is as
--          fields or empty; then for each note: job, queue, token, progress
-- returns  "token:queue" for what it holds; the ids of those whose end was asked for; the
--          server's time in seconds and microseconds

local worker, cancelled = ARGV[2], {}

write_though_full()
for i = 6, #ARGV, 4 do
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
call('HSET', WORKERS, worker, pack(ARGV[1]) .. info)

local held = call('SMEMBERS', held_by(worker))
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
