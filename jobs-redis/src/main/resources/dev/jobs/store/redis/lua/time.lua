-- Returns the time of the server.
--
-- KEYS[1]    hash of the jobs
-- ARGV[1]    now
-- returns    seconds, microseconds
-- errors     none

return call('TIME')
