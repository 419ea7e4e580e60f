-- The same, and keep the ends of some of these jobs.
with ended as (
	{{deleted-jobs}}
), kept as (
	{{insert-ends}}
	where ((t.id, t.token) in (select e.id, e.token from ended e)) is true
	{{replace-ends}}
)
{{ids-and-limited-queues}}
