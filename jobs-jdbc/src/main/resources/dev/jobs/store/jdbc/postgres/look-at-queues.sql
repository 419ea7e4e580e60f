-- Read queues for a worker that is alive, from the marks of the queues on.
select {{queue-columns}}
from unnest(?::text[], ?::bigint[]) as asked (queue, mark)
left join {queue} q on q.name = asked.queue
where exists (select 1 from {worker} w where w.id = ? and w.lease_until >= ?)
