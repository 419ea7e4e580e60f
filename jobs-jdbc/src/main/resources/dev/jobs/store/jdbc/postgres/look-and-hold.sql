-- Read queues for a worker that is alive, and hold their ready jobs at once, unless one of them has a stored
-- limit, due jobs, jobs in lanes, a hold or callers that wait for room. Returns the jobs and then the queues, each
-- with whether it has more ready jobs. All parts see the same moment, in which the jobs held here are still ready:
-- there are more if some follow the last one held, or if more are seen than are held.
with seen as materialized (
	select asked.count, asked.mark, {{queue-columns}}
	from unnest(?::text[], ?::int[], ?::bigint[]) with ordinality as asked (queue, count, mark, number)
	left join {queue} q on q.name = asked.queue
	where exists (select 1 from {worker} w where w.id = ? and w.lease_until >= ?)
	order by asked.number
), picked as materialized (
	select found.spot from seen asked
	{{lock-ready-jobs}}
	where asked.place is not null and coalesce(asked.paused, 0) = 0 and not exists (
		select 1 from seen other where other.max_running > 0 or other.refused_length > 0 or other.due <= ?
			or other.laned is not null or other.held_until > ?)
	limit ?
), {{held-jobs}}, given as materialized (
	select j.queue, count(*) as count, max(j.place) as last from held j group by j.queue
)
select {{job-columns}}, null, null, null, null, null, null, null, null, null from held j
union all
select null, s.queue, null, null, null, null, null, null, null, null, null, null, null,
	s.paused, s.max_running, s.refused_length, s.due, s.place, s.laned, s.lanes_set, s.held_until,
	case
		when g.queue is null then s.place is not null
		else exists (select 1 from {job} r where r.queue = s.queue and r.state = {ready}
				and r.place > greatest(g.last, s.mark - 1))
			or (select count(*) from (
				(select 1 from {job} r where r.queue = s.queue and r.state = {ready} and r.place < 0
					order by r.place limit g.count + 1)
				union all
				(select 1 from {job} r where r.queue = s.queue and r.state = {ready} and r.place >= s.mark
					order by r.place limit g.count + 1)) ready) > g.count
	end
from seen s left join given g on g.queue = s.queue
