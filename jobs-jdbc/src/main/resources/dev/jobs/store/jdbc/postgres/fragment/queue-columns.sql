-- The columns of a queue for a claim: its row, the due time of its first scheduled job, its first place, which
-- may be that of a job that went back to the front, and the first lane with ready jobs, whose
-- name is empty for urgent jobs without a lane.
asked.queue, q.paused, q.max_running, q.refused_length,
(select j.due_at from {job} j where j.queue = asked.queue and j.state = {scheduled}
	order by j.due_at limit 1) as due,
coalesce(
	(select j.place from {job} j where j.queue = asked.queue and j.state = {ready} and j.place < 0
		order by j.place limit 1),
	(select j.place from {job} j where j.queue = asked.queue and j.state = {ready}
		and j.place >= asked.mark order by j.place limit 1)) as place,
(select j.lane from {job} j where j.queue = asked.queue and j.state = {laned} order by j.lane limit 1) as laned
