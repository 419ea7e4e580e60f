-- The table of the outbox of Jobs for SQLite. It may run again, and drops nothing.

create table if not exists jobs_outbox (
	place integer primary key autoincrement,
	id text not null,
	queue text not null,
	payload blob not null,
	headers text,
	created_at integer not null,
	due_at integer not null,
	key_digest text,
	key_mode text,
	key_scope text,
	key_until integer,
	key_rule text,
	max_length integer default 0 not null,
	max_in_lane integer default 0 not null,
	problem text
) strict;
