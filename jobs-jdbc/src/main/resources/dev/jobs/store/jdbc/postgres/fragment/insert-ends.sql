insert into {end} (id, state, until_at, trail, body)
	select t.id, t.state, t.until_at, t.trail, t.body
	from unnest(?::text[], ?::bigint[], ?::smallint[], ?::bigint[], ?::text[], ?::bytea[])
		as t (id, token, state, until_at, trail, body)
