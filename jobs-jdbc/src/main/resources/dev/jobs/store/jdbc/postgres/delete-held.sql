-- Delete jobs that are held under given tokens. Returns their ids, and their queues that have a limit.
with ended as (
	{{deleted-jobs}}
)
{{ids-and-limited-queues}}
