-- Stores new jobs that may have a unique key or a bound on the length of their queue, each
-- fully or not at all. Its first write is refused by a full server.
--
-- KEYS[1]  the hash of the jobs
-- ARGV     now; then for each job: id, queue, record, due time, maximum length,
--          what to do if its key is taken
-- returns  for each job: outcome, id, due time

return add_all(2)
