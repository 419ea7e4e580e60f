-- Stores new jobs that may have a unique key or a bound on the length of their queue, each
-- fully or not at all.
--
-- KEYS[1]    hash of the jobs
-- ARGV[1]    now
-- ARGV[2..]  for each job: id, queue, record, due time, maximum length of the queue or 0, what
--            to do if its key is taken
-- returns    for each job: outcome, id, due time
-- errors     a full server refuses the first write; a key of the wrong type

return add_all(2)
