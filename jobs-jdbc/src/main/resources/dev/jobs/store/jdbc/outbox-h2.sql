-- The tables of the outbox of Jobs for H2. It may run again, and drops nothing.

create table if not exists jobs_outbox (
	place bigint generated always as identity primary key,
	id varchar not null,
	queue varchar not null,
	payload blob not null,
	headers varchar,
	created_at bigint not null,
	due_at bigint not null,
	key_digest varchar,
	key_mode varchar,
	key_scope varchar,
	key_until bigint,
	key_rule varchar,
	max_length integer default 0 not null,
	max_in_lane integer default 0 not null,
	problem varchar
);

-- The marks of transactional steps, each committed with the effect of its step.

create table if not exists jobs_step (
	job varchar(200) not null,
	payload varchar(200) not null,
	name varchar(400) not null,
	done_at bigint not null,
	body blob not null,
	primary key (job, payload, name)
);

create index if not exists jobs_step_done on jobs_step (done_at);
