-- Hold the first ready jobs of lanes for a worker, a count for each lane and a range of urgencies.
with picked as materialized (
	select found.spot from unnest(?::text[], ?::text[], ?::int[], ?::int[], ?::int[])
		as asked (queue, lane, most_urgent, least_urgent, count)
	cross join lateral (
		select spot from (select job.ctid as spot from {job} job
			where job.queue = asked.queue and job.lane = asked.lane and job.state = {laned} and job.ahead = -1
				and job.urgency between asked.most_urgent and asked.least_urgent
			order by job.urgency, job.due_at, job.id limit asked.count for update skip locked) keepers
		union all
		select spot from (select job.ctid as spot from {job} job
			where job.queue = asked.queue and job.lane = asked.lane and job.state = {laned} and job.ahead = 0
				and job.urgency between asked.most_urgent and asked.least_urgent
			order by job.urgency, job.due_at, job.id limit asked.count for update skip locked) others
		limit asked.count) found
), held as (
	{{started-jobs}}
	returning {{job-columns}}, j.ahead
), {{delivered-jobs}}
select {{job-columns}} from held j order by j.ahead, j.due_at, j.id
