-- Record which worker holds the jobs in "held".
delivered as (
	insert into {delivery} (queue, token, worker, started_at, owner)
	select distinct j.queue, j.token, asking.worker, j.since, asking.worker
	from held j, (select ?::text as worker) asking
)
