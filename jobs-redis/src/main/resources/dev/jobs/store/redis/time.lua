-- Tells the time of the server.
--
-- KEYS[1]  the hash of the jobs
-- ARGV     now
-- returns  the time in seconds and microseconds

return call('TIME')
