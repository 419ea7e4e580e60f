-- Delete jobs that are held under given tokens. That a job has a token means that it runs:
-- to name its state would tempt the planner to use the index of running jobs. The ids stand
-- alone, and the tokens where they cannot become a join: if the statistics say that the table
-- is empty, a join reads the whole key, also what is gone but not yet vacuumed.
delete from {job} j
where j.id = any (?::text[])
	and (((j.id, j.token) in (select ended.id, ended.token from unnest(?::text[], ?::bigint[]) as ended (id, token))) is true)
returning j.id
