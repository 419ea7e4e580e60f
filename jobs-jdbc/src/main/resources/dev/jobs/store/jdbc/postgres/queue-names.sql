-- The names of all queues.
{{known-queues}}
select name from known
