-- The row of each queue, or of some, and its jobs in each state, counted up to a bound that is lower if these
-- are many queues, so that the total time stays the same. The first ready and the first waiting job spare
-- most queues further reads.
{{known-queues}}, wanted (name) as materialized (
	select name from known where name = any (coalesce(?::text[], array[name]))
), bound (most) as materialized (
	select greatest(1000, least(10000, 150000 / greatest(1, count(*)))) from wanted
), each_queue as materialized (
	select k.name, bound.most, coalesce(q.version, 0) as version, coalesce(q.paused, 0) as paused,
		coalesce(q.paused_at, 0) as paused_at, coalesce(q.paused_by, '') as paused_by,
		coalesce(q.max_running, -1) as max_running, coalesce(q.limited_at, 0) as limited_at,
		coalesce(q.limited_by, '') as limited_by, ?::bigint as now, coalesce(low.mark, q.low_place, 0) as mark, held.token
	from bound
	cross join wanted k
	left join {queue} q on q.name = k.name
	left join unnest(?::text[], ?::bigint[]) as low (queue, mark) on low.queue = k.name
	left join (
		select d.queue, min(d.token) as token from ({{live-deliveries}}) d group by d.queue
	) held on held.queue = k.name
)
select k.name, k.most, front.due_at,
	case when next.due_at <= k.now then next.due_at end, laned.due_at,
	case when front.place is null then 0 else (select count(*) from (
		select 1 from {job} j where j.queue = k.name and j.state = {ready} and j.place >= front.place
		order by j.place limit k.most) counted) end,
	case when coalesce(next.due_at > k.now, true) then 0 else (select count(*) from (
		select 1 from {job} j where j.queue = k.name and j.state in ({waiting}, {scheduled}) and j.due_at <= k.now
		order by j.due_at, j.id limit k.most) counted) end,
	case when next.due_at is null then 0 else (select count(*) from (
		select 1 from {job} j where j.queue = k.name and j.state = {scheduled} and j.due_at > k.now
		order by j.due_at, j.id limit k.most) counted) end,
	case when next.due_at is null then 0 else (select count(*) from (
		select 1 from {job} j where j.queue = k.name and j.state = {scheduled} and j.attempt > 1 and j.due_at > k.now
		order by j.due_at, j.id limit k.most) counted) end,
	case when k.token is null then 0 else (select count(*) from (
		select 1 from {job} j where j.queue = k.name and j.state = {running} and j.token >= k.token
		order by j.token limit k.most) counted) end,
	(select count(*) from (
		select 1 from {job} j where j.queue = k.name and j.state = {dead}
		order by j.since, j.id limit k.most) counted),
	(select count(*) from (
		select 1 from {job} j where j.queue = k.name and j.state > {dead}
		order by j.since, j.id limit k.most) counted),
	case when laned.due_at is null then 0 else (select count(*) from (
		select 1 from {job} j where j.queue = k.name and j.state = {laned}
		order by j.since, j.id limit k.most) counted) end,
	case when next.due_at is null then 0 else (select count(*) from (
		select 1 from {job} j where j.queue = k.name and j.state = {waiting} and j.due_at > k.now
		order by j.due_at, j.id limit k.most) counted) end,
	k.version, k.paused, k.paused_at, k.paused_by, k.max_running, k.limited_at, k.limited_by
from each_queue k
left join lateral (
	select j.place, j.due_at from {job} j
	where j.queue = k.name and j.state = {ready} and j.place < 0
	order by j.place limit 1) ahead on true
left join lateral (
	select j.place, j.due_at from {job} j
	where j.queue = k.name and j.state = {ready} and ahead.place is null and j.place >= k.mark
	order by j.place limit 1) later on true
cross join lateral (
	select coalesce(ahead.place, later.place) as place, coalesce(ahead.due_at, later.due_at) as due_at) front
left join lateral (
	select j.due_at from {job} j where j.queue = k.name and j.state in ({waiting}, {scheduled})
	order by j.due_at, j.id limit 1) next on true
left join lateral (
	select j.due_at from {job} j where j.queue = k.name and j.state = {laned}
	order by j.since, j.id limit 1) laned on true
order by k.name
