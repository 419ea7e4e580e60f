-- Give the jobs at the spots in "picked" to a worker. The token is drawn when all rows are locked, so it is
-- greater than any they were held under.
held as (
	update {job} j set state = {running}, since = ?, cancel = null,
		token = (select nextval('{token}') from (select count(*) from picked) counted),
		held_key = {{held-key-of-running-jobs}}
	where j.ctid = any (array(select spot from picked))
	returning {{job-columns}}
), delivered as (
	insert into {delivery} (queue, token, worker, started_at, owner)
	select distinct j.queue, j.token, asking.worker, j.since, asking.worker
	from held j, (select ?::text as worker) asking
)
