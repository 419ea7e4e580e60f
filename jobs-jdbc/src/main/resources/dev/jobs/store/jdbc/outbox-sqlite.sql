-- The tables of the outbox of Jobs for SQLite. It may run again, and drops nothing.

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

-- The marks of transactional steps, each committed with the effect of its step.

create table if not exists jobs_step (
	job text not null,
	payload text not null,
	name text not null,
	done_at integer not null,
	body blob not null,
	primary key (job, payload, name)
) strict;

create index if not exists jobs_step_done on jobs_step (done_at);
