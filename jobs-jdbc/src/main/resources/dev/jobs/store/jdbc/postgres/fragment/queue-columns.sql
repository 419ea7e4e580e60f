-- The columns of a queue for a claim: its row, the first due time of jobs that wait until then, its first place,
-- which may be that of a job that went back to the front, the first lane with ready jobs, whose name is empty for
-- urgent jobs without a lane, how many settings lanes have, and until when a part of it is held back.
asked.queue, q.paused, q.max_running, q.refused_length,
(select j.due_at from {job} j where j.queue = asked.queue and j.state in ({waiting}, {scheduled})
	order by j.due_at limit 1) as due,
coalesce(
	(select j.place from {job} j where j.queue = asked.queue and j.state = {ready} and j.place < 0
		order by j.place limit 1),
	(select j.place from {job} j where j.queue = asked.queue and j.state = {ready}
		and j.place >= asked.mark order by j.place limit 1)) as place,
(select j.lane from {job} j where j.queue = asked.queue and j.state = {laned} order by j.lane limit 1) as laned,
q.lanes_set, q.held_until
