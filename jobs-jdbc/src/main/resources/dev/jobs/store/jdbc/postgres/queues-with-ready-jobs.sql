-- Return the given queues that have ready jobs: at the front, after the last place given, or before it.
select asked.queue from unnest(?::text[], ?::bigint[], ?::bigint[]) as asked (queue, mark, given)
where exists (select 1 from {job} j where j.queue = asked.queue and j.state = {ready} and j.place < 0)
	or exists (select 1 from {job} j where j.queue = asked.queue and j.state = {ready}
		and j.place >= greatest(asked.mark, asked.given))
	or exists (select 1 from {job} j where j.queue = asked.queue and j.state = {ready}
		and j.place >= asked.mark and j.place < asked.given)
