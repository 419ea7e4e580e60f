-- Hold ready jobs of queues for a worker, a count for each queue and a limit for all.
with picked as materialized (
	select found.spot from unnest(?::text[], ?::int[], ?::bigint[]) as asked (queue, count, mark)
	{{lock-ready-jobs}}
	limit ?
), {{held-jobs}}
select {{job-columns}} from held j
