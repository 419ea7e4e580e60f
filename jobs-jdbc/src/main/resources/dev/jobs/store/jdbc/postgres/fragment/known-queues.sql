-- The queues that have rows, and queues of jobs that another program added, found by skipping through the
-- index of ready jobs in the gaps between the rows.
with recursive outset (name, until) as (
	select '', min(name) from {queue}
	union all
	select name, lead(name) over (order by name) from {queue}
), foreign_name (name, until) as (
	{{next-foreign-queue}} from outset gap
	union all
	{{next-foreign-queue}} from foreign_name gap where gap.name is not null
), known (name) as (
	select name from {queue}
	union
	select name from foreign_name where name is not null
)
