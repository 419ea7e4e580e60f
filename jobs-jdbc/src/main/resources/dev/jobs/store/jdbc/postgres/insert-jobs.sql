-- Insert new jobs, ready or scheduled; those with the id of a stored one are left out.
insert into {job} (id, queue, state, place, due_at, since, created_at, payload, headers)
select t.id, t.queue, case when t.due_at > ? then {scheduled} else {ready} end, nextval('{place}'),
	t.due_at, t.due_at, t.created_at, t.payload, t.headers
from unnest(?::text[], ?::text[], ?::bigint[], ?::bigint[], ?::bytea[], ?::text[])
	as t (id, queue, due_at, created_at, payload, headers)
on conflict do nothing
returning id
