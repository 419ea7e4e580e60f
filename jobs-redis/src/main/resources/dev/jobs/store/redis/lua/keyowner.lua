-- Returns the job of this partition that owns a unique key across queues.
--
-- KEYS[1]    hash of the jobs
-- ARGV[1]    now
-- ARGV[2]    digest of the key
-- returns    id, due time; nothing if there is none
-- errors     a key of the wrong type

local id = owner('', { '', 'N', '', ARGV[2] })
local record = id and call('HGET', JOBS, id)
return record and { id, due_of(id, record) } or {}
