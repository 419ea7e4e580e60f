-- The tables of Jobs for SQLite. All statements may run again; none drops anything.

create table if not exists jobs_job (
	id text primary key,
	queue text not null,
	state smallint default 1 not null,
	place bigint default 0 not null,
	due_at bigint not null,
	since bigint not null,
	created_at bigint not null,
	attempt integer default 1 not null,
	token bigint,
	cancel smallint,
	key_name text,
	key_mode smallint,
	key_until bigint,
	held_key text,
	payload blob not null,
	headers text,
	trail text,
	progress text
);

create index if not exists jobs_job_ready on jobs_job (queue, place) where state = 1;

create index if not exists jobs_job_scheduled on jobs_job (queue, due_at, id) where state = 0;

create index if not exists jobs_job_running on jobs_job (queue, token) where state = 2;

create index if not exists jobs_job_dead on jobs_job (queue, since, id) where state = 3;

create index if not exists jobs_job_history on jobs_job (queue, since, id) where state > 3;

create index if not exists jobs_job_cancel on jobs_job (id) where cancel = 1;

create unique index if not exists jobs_job_key on jobs_job (held_key);

create table if not exists jobs_queue (
	name text primary key,
	paused smallint default 0 not null,
	max_running integer default -1 not null,
	refused_at integer default 0 not null,
	limit_hit smallint default 0 not null
);

create table if not exists jobs_worker (
	id text primary key,
	last_beat bigint not null,
	lease_until bigint not null,
	info text
);

create table if not exists jobs_delivery (
	queue text not null,
	token bigint not null,
	worker text,
	started_at bigint not null,
	owner text not null,
	primary key (queue, token)
);

create index if not exists jobs_delivery_worker on jobs_delivery (worker);

create table if not exists jobs_schedule (
	name text primary key,
	definition text not null,
	queue text not null,
	latest bigint not null,
	touched_at bigint not null,
	offered text,
	outcome text,
	outcome_id text,
	outcome_due bigint
);

-- SQLite has no sequences.

create table if not exists jobs_counter (
	name text primary key,
	last bigint not null
);

insert into jobs_counter (name, last) values ('place', 0) on conflict do nothing;

insert into jobs_counter (name, last) values ('token', 0) on conflict do nothing;
