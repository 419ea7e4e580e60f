on conflict (id) do update set state = excluded.state, until_at = excluded.until_at, trail = excluded.trail,
		body = excluded.body
