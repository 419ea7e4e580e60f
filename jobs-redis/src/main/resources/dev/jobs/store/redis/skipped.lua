-- Finds the entries of a part of a ready list that may have to be skipped when they are popped.
--
-- KEYS[1]  the hash of the jobs
-- ARGV     the present, 1 if the latest come first, a structure
-- returns  for each its number, and its id if there is another of the same job, which is ready

local source = source_at(3)
return skipped_of(source, source.from, source.to)
