-- Hold the first ready jobs of lanes for a worker, a count for each lane. Returns them in the order of the lanes.
with picked as materialized (
	select found.spot from unnest(?::text[], ?::text[], ?::int[]) as asked (queue, lane, count)
	cross join lateral (
		select job.ctid as spot from {job} job
		where job.queue = asked.queue and job.lane = asked.lane and job.state = {laned}
		order by job.ahead, job.due_at, job.id limit asked.count for update skip locked) found
), held as (
	{{started-jobs}}
	returning {{job-columns}}, j.lane, j.ahead
), {{delivered-jobs}}
select {{job-columns}} from held j order by array_position(?::text[], j.lane collate "C"), j.ahead, j.due_at, j.id
