-- Insert new jobs and the rows of their queues, in an order common to all writers.
with added as (
	{{insert-jobs}}, queue
), opened as (
	insert into {queue} (name) select distinct queue from added order by queue
	on conflict do nothing
)
select id from added
