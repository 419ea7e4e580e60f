-- For each row of "asked": lock its first ready jobs, at the front and then from its mark on.
cross join lateral (
	select spot from (
		select job.ctid as spot from {job} job
		where job.queue = asked.queue and job.state = {ready} and job.place < 0
		order by job.place limit asked.count for update skip locked) front
	union all
	select spot from (
		select job.ctid as spot from {job} job
		where job.queue = asked.queue and job.state = {ready} and job.place >= asked.mark
		order by job.place limit asked.count for update skip locked) back
	limit asked.count
) found
