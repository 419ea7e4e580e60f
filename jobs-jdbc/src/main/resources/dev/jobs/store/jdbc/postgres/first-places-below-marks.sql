-- The first ready job below the mark of each queue, where none should be.
select asked.queue, (
	select j.place from {job} j
	where j.queue = asked.queue and j.state = {ready} and j.place >= 0 and j.place < asked.mark
	order by j.place limit 1)
from unnest(?::text[], ?::bigint[]) as asked (queue, mark)
