-- Tells which job of this partition owns a unique key across queues.
--
-- KEYS[1]  the hash of the jobs
-- ARGV     now, digest
-- returns  the id and the due time of the job; nothing if there is none

local id = owner('', { '', 'N', '', ARGV[2] })
local record = id and call('HGET', JOBS, id)
return record and { id, due_of(id, record) } or {}
