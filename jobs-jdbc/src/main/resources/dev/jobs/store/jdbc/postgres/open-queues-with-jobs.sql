-- Create the rows of those of some queues that have jobs waiting. Jobs of a queue that has
-- a row are not looked for: that may mean to read over all that have left it. A job is asked
-- for by "limit 1", since "exists" may become a hash of all jobs that wait.
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
