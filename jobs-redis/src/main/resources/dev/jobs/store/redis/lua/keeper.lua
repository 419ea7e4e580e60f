-- Returns the job that keeps the place of a lane and is not ready.
--
-- KEYS[1]    hash of the jobs
-- ARGV[1]    now
-- ARGV[2]    queue
-- ARGV[3]    lane
-- returns    id; nothing if there is none
-- errors     a key of the wrong type

local from, to = within(ARGV[3])
local first = call('ZRANGEBYLEX', of(ARGV[2], PART.KEPT), from, to, 'LIMIT', 0, 1)[1]
return first and { string.sub(first, #ARGV[3] + 2) } or {}
