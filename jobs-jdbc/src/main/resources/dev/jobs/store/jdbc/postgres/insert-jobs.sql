-- Insert new jobs, ready or scheduled; those with the id of a stored one are left out.
insert into {job} (id, queue, state, place, due_at, since, created_at, payload, headers,
	lane, urgency)
select t.id, t.queue,
	case when t.due_at > ? then {scheduled} when t.lane is null then {ready} else {laned} end, nextval('{place}'),
	t.due_at, t.due_at, t.created_at, t.payload, t.headers, t.lane, t.urgency
from unnest(?::text[], ?::text[], ?::bigint[], ?::bigint[], ?::bytea[], ?::text[],
	?::text[], ?::int[]) as t (id, queue, due_at, created_at, payload, headers, lane, urgency)
on conflict do nothing
returning id
