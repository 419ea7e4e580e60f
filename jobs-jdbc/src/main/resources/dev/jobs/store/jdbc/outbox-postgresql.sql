-- The tables of the outbox of Jobs for PostgreSQL. It may run again, and drops nothing.

create table if not exists jobs_outbox (
	place bigint generated always as identity primary key,
	id text not null,
	queue text not null,
	payload bytea not null,
	headers text,
	created_at bigint not null,
	due_at bigint not null,
	key_digest text,
	key_mode text,
	key_scope text,
	key_until bigint,
	key_rule text,
	max_length integer default 0 not null,
	max_in_lane integer default 0 not null,
	problem text
) with (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 5000,
	autovacuum_analyze_scale_factor = 0.1, autovacuum_vacuum_cost_delay = 0);

-- The marks of transactional steps, each committed with the effect of its step.

create table if not exists jobs_step (
	job text collate "C" not null,
	payload text collate "C" not null,
	name text collate "C" not null,
	done_at bigint not null,
	body bytea not null,
	primary key (job, payload, name)
) with (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 5000,
	autovacuum_analyze_scale_factor = 0.1, autovacuum_vacuum_cost_delay = 0);

create index if not exists jobs_step_done on jobs_step (done_at);
