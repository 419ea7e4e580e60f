-- Hold the first ready jobs of lanes for a worker, a count for each lane and a range of urgencies. A locked job
-- is passed over, except in a lane that must give its first jobs or none.
with picked as materialized (
	select found.spot from unnest(?::text[], ?::text[], ?::int[], ?::int[], ?::int[], ?::boolean[])
		as asked (queue, lane, most_urgent, least_urgent, count, only_first)
	cross join lateral (
		select spot from (select job.ctid as spot from {job} job
			where job.ctid = any (array(select first.ctid from {job} first
				where asked.only_first and first.queue = asked.queue and first.lane = asked.lane and first.state = {laned}
					and first.urgency between asked.most_urgent and asked.least_urgent
				order by first.ahead, first.urgency, first.due_at, first.id limit asked.count))
			for update skip locked) firsts
		union all
		select spot from (select job.ctid as spot from {job} job
			where not asked.only_first and job.queue = asked.queue and job.lane = asked.lane and job.state = {laned}
				and job.ahead = -1 and job.urgency between asked.most_urgent and asked.least_urgent
			order by job.urgency, job.due_at, job.id limit asked.count for update skip locked) keepers
		union all
		select spot from (select job.ctid as spot from {job} job
			where not asked.only_first and job.queue = asked.queue and job.lane = asked.lane and job.state = {laned}
				and job.ahead = 0 and job.urgency between asked.most_urgent and asked.least_urgent
			order by job.urgency, job.due_at, job.id limit asked.count for update skip locked) others
		limit asked.count) found
), held as (
	{{started-jobs}}
	returning {{job-columns}}, j.ahead
), {{delivered-jobs}}
select {{job-columns}} from held j order by j.ahead, j.due_at, j.id
