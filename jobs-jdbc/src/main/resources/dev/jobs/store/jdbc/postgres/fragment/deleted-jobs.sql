-- Delete jobs that are held under given tokens. A job with a token runs: a condition on the state would tempt the
-- planner to use the index of running jobs. The ids stand alone, and the tokens where they cannot become a join: if
-- the statistics show an empty table, a join reads the whole key, including entries that are gone but not yet vacuumed.
delete from {job} j
	where j.id = any (?::text[])
		and (((j.id, j.token) in (select held.id, held.token from unnest(?::text[], ?::bigint[]) as held (id, token))) is true)
	returning j.id, j.queue, j.token
