-- Delete jobs that are held under given tokens. Returns their ids, and their queues that have a limit. A job
-- with a token runs: a condition on the state would tempt the planner to use the index of running jobs. The
-- ids stand alone, and the tokens where they cannot become a join: if the statistics show an empty table, a
-- join reads the whole key, including entries that are gone but not yet vacuumed.
with ended as (
	delete from {job} j
	where j.id = any (?::text[])
		and (((j.id, j.token) in (select held.id, held.token from unnest(?::text[], ?::bigint[]) as held (id, token))) is true)
	returning j.id, j.queue
)
select id, null from ended
union all
select null, q.name from {queue} q
where q.limit_hit <> 0 and q.name = any (array(select distinct queue from ended))
