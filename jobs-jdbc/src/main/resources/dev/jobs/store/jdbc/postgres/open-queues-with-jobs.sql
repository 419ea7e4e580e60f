-- Create missing rows for queues with waiting jobs. A queue that has a row is not searched, since that may
-- read all entries of jobs that have left. The query uses "limit 1", since "exists" may become a hash of all
-- waiting jobs.
insert into {queue} (name)
select distinct served.name from unnest(?::text[]) as served (name)
where case
	when exists (select 1 from {queue} q where q.name = served.name) then false
	else (select 1 from {job} j where j.queue = served.name and j.state = {scheduled} limit 1) is not null
		or (select 1 from {job} j where j.queue = served.name and j.state = {ready} limit 1) is not null
		or (select 1 from {job} j where j.queue = served.name and j.state = {laned} limit 1) is not null
	end
order by name
on conflict do nothing
