-- Save values of jobs that are held under given tokens. Returns those of the jobs that run, with their tokens.
-- Their rows are locked, since a takeover that begins meanwhile must find the values.
with running as materialized (
	select j.id, j.token from {job} j
	where j.id = any (?::text[]) and j.token is not null
	order by j.id for share
), saved as (
	insert into {saved} (job, name, saved_at, body)
	select t.id, t.name, ?, t.body
	from unnest(?::text[], ?::bigint[], ?::text[], ?::bytea[]) as t (id, token, name, body)
	join running on running.id = t.id and running.token = t.token
	order by t.id, t.name
	on conflict (job, name) do update set saved_at = excluded.saved_at, body = excluded.body
)
select id, token from running
