-- The tables of Jobs for H2. All statements may run again; none drops anything.

create sequence if not exists jobs_place;

create sequence if not exists jobs_token;

create table if not exists jobs_job (
	id varchar primary key,
	queue varchar not null,
	state smallint default 1 not null,
	place bigint default next value for jobs_place not null,
	due_at bigint not null,
	since bigint not null,
	created_at bigint not null,
	attempt integer default 1 not null,
	token bigint,
	cancel smallint,
	key_name varchar,
	key_mode smallint,
	key_until bigint,
	held_key varchar,
	payload blob not null,
	headers varchar,
	trail varchar,
	progress varchar
);

create index if not exists jobs_job_place on jobs_job (queue, state, place);

create index if not exists jobs_job_due on jobs_job (queue, state, due_at, id);

create index if not exists jobs_job_token on jobs_job (queue, state, token);

create index if not exists jobs_job_since on jobs_job (queue, state, since, id);

create index if not exists jobs_job_cancel on jobs_job (cancel);

create unique index if not exists jobs_job_key on jobs_job (held_key);

create table if not exists jobs_queue (
	name varchar primary key,
	paused smallint default 0 not null,
	max_running integer default -1 not null,
	refused_at integer default 0 not null,
	limit_hit smallint default 0 not null
);

create table if not exists jobs_worker (
	id varchar primary key,
	last_beat bigint not null,
	lease_until bigint not null,
	info varchar
);

create table if not exists jobs_delivery (
	queue varchar not null,
	token bigint not null,
	worker varchar,
	started_at bigint not null,
	owner varchar not null,
	primary key (queue, token)
);

create index if not exists jobs_delivery_worker on jobs_delivery (worker);

create table if not exists jobs_schedule (
	name varchar primary key,
	definition varchar not null,
	queue varchar not null,
	latest bigint not null,
	touched_at bigint not null,
	offered varchar,
	outcome varchar,
	outcome_id varchar,
	outcome_due bigint
);
