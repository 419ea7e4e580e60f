-- Version 1 of the tables of Jobs. It may run again, and drops nothing.

create sequence if not exists jobs_place;

create sequence if not exists jobs_token;

-- Texts are short enough for an index: a row that was accepted must also be able to change.
-- Ids are ordered by their bytes, as in lists of jobs.

create table if not exists jobs_job (
	id text collate "C" primary key check (length(id) <= 200),
	queue text not null check (length(queue) <= 200),
	state smallint not null default 1 check (state between -2 and 5),
	place bigint not null default nextval('jobs_place'),
	due_at bigint not null default (extract(epoch from clock_timestamp()) * 1000)::bigint,
	since bigint not null default (extract(epoch from clock_timestamp()) * 1000)::bigint,
	created_at bigint not null default (extract(epoch from clock_timestamp()) * 1000)::bigint,
	attempt integer not null default 1,
	token bigint,
	cancel smallint,
	key_name text check (length(key_name) <= 500),
	key_mode text,
	key_until bigint,
	held_key text check (length(held_key) <= 500),
	payload bytea not null,
	headers text,
	trail text,
	progress text,
	lane text collate "C" check (length(lane) <= 100),
	urgency smallint not null default 2 check (urgency between 0 and 3),
	ahead smallint not null default 0 check (ahead between -1 and 0),
	expires_at bigint,
	waits_for text collate "C" check (length(waits_for) <= 500),
	check (state <> -1 or lane is not null),
	check (lane <> '' or urgency <> 2)
) with (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 5000,
	autovacuum_analyze_scale_factor = 0.1, autovacuum_vacuum_cost_delay = 0);

create index if not exists jobs_job_ready on jobs_job (queue, place) where state = 1;

-- Lists go by since, which is the due time here: an index in the order of claims might be taken
-- for that of a lane, and all other lanes be read.

create index if not exists jobs_job_laned on jobs_job (queue, since, id) where state = -1;

create index if not exists jobs_job_lane on jobs_job (queue, lane, ahead, urgency, due_at, id) where state = -1;

create index if not exists jobs_job_ahead on jobs_job (queue, lane) where ahead = -1;

create index if not exists jobs_job_scheduled on jobs_job (queue, due_at, id, state) where state in (-2, 0);

create index if not exists jobs_job_waiting on jobs_job (queue, due_at, id) where state = -2;

create index if not exists jobs_job_retry on jobs_job (queue, due_at, id) where state = 0 and attempt > 1;

create index if not exists jobs_job_again on jobs_job (queue, place) where state = 1 and attempt > 1;

create index if not exists jobs_job_cancelled on jobs_job (queue, since, id) where state = 5;

create index if not exists jobs_job_running on jobs_job (queue, token) where state = 2;

create index if not exists jobs_job_dead on jobs_job (queue, since, id) where state = 3;

create index if not exists jobs_job_history on jobs_job (queue, since, id) where state > 3;

create index if not exists jobs_job_cancel on jobs_job (id) where cancel = 1;

create index if not exists jobs_job_tags on jobs_job using gin (string_to_array(headers::json ->> 'jobs.tags', ','))
	where headers like '%"jobs.tags":%';

create index if not exists jobs_job_expires on jobs_job (expires_at) where expires_at is not null;

create index if not exists jobs_job_waits_for on jobs_job (waits_for, due_at) where state = -2;

create unique index if not exists jobs_job_key on jobs_job (held_key) where held_key is not null;

create table if not exists jobs_queue (
	name text primary key check (length(name) <= 200),
	version bigint not null default 0,
	paused smallint not null default 0,
	paused_at bigint not null default 0,
	paused_by text not null default '',
	max_running integer not null default -1,
	limited_at bigint not null default 0,
	limited_by text not null default '',
	refused_length integer not null default 0,
	limit_hit smallint not null default 0,
	lanes_set integer not null default 0,
	held_until bigint not null default 0,
	low_place bigint not null default 0
);

-- The settings of operators for lanes. How many a queue has is in its row.

create table if not exists jobs_lane (
	queue text not null,
	lane text collate "C" not null,
	paused_at bigint,
	paused_by text,
	max_running integer,
	limited_at bigint,
	limited_by text,
	primary key (queue, lane)
);

-- What lets no job of a queue, or of a lane, start for a time. That of the whole queue has an empty lane.

create table if not exists jobs_gate (
	queue text not null,
	lane text collate "C" not null,
	held_until bigint not null default 0,
	permit_at bigint not null default 0,
	kept_until bigint not null default 0,
	starts text,
	primary key (queue, lane)
) with (fillfactor = 50);

create table if not exists jobs_worker (
	id text primary key,
	last_beat bigint not null,
	lease_until bigint not null,
	lease bigint not null check (lease between 0 and 86400000),
	reported bigint not null default 0,
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

create index if not exists jobs_delivery_token on jobs_delivery (token);

-- A schedule of which only a pause is known has no latest tick. A schedule put at run time has a version.

create table if not exists jobs_schedule (
	name text primary key,
	definition text,
	queue text,
	latest bigint,
	touched_at bigint not null,
	paused smallint not null default 0,
	fired text,
	offered text,
	outcome text,
	outcome_id text,
	outcome_due bigint,
	version text,
	next_at bigint,
	replaces text,
	spec text
);

create index if not exists jobs_schedule_next on jobs_schedule (next_at, name);

-- The actions of operators, and the starts of new versions of the application.

create table if not exists jobs_note (
	id text primary key,
	noted_at bigint default 0 not null,
	line text
);

-- The settings of operators for workers, by kind and name. The row without an id has their revision.

create table if not exists jobs_setting (
	id text primary key,
	revision bigint default 0 not null,
	changed_at bigint default 0 not null,
	changed_by text,
	body text
);

-- The jobs that keep others with the same key out for a time, by queue and key.

create table if not exists jobs_throttle (
	id text primary key,
	until_at bigint default 0 not null,
	job_id text
);

create index if not exists jobs_throttle_until on jobs_throttle (until_at);

-- The values that a job has saved while it ran. They go with the job.

create table if not exists jobs_saved (
	job text collate "C" not null check (length(job) <= 200),
	name text collate "C" not null check (length(name) <= 400),
	saved_at bigint not null,
	body bytea not null,
	primary key (job, name)
);

-- How jobs have ended whose end is kept, until a while after its time.
create table if not exists jobs_end (
	id text collate "C" primary key check (length(id) <= 500),
	state smallint not null check (state between 3 and 5),
	until_at bigint not null,
	trail text,
	body bytea
);
create index if not exists jobs_end_until on jobs_end (until_at);

-- The statistics of a queue in a minute or ten: c0 to c3 enqueued, succeeded,
-- retried, dead; c4 to c27 waiting times and c28 to c51 running times, each counted in
-- buckets of less than 1, 2, 4, 8 ... milliseconds; c52 expired.

create table if not exists jobs_tally (
	id text primary key,
	queue text not null,
	span smallint not null,
	start_at bigint not null,
	c0 integer not null default 0, c1 integer not null default 0, c2 integer not null default 0, c3 integer not null default 0,
	c4 integer not null default 0, c5 integer not null default 0, c6 integer not null default 0, c7 integer not null default 0,
	c8 integer not null default 0, c9 integer not null default 0, c10 integer not null default 0, c11 integer not null default 0,
	c12 integer not null default 0, c13 integer not null default 0, c14 integer not null default 0, c15 integer not null default 0,
	c16 integer not null default 0, c17 integer not null default 0, c18 integer not null default 0, c19 integer not null default 0,
	c20 integer not null default 0, c21 integer not null default 0, c22 integer not null default 0, c23 integer not null default 0,
	c24 integer not null default 0, c25 integer not null default 0, c26 integer not null default 0, c27 integer not null default 0,
	c28 integer not null default 0, c29 integer not null default 0, c30 integer not null default 0, c31 integer not null default 0,
	c32 integer not null default 0, c33 integer not null default 0, c34 integer not null default 0, c35 integer not null default 0,
	c36 integer not null default 0, c37 integer not null default 0, c38 integer not null default 0, c39 integer not null default 0,
	c40 integer not null default 0, c41 integer not null default 0, c42 integer not null default 0, c43 integer not null default 0,
	c44 integer not null default 0, c45 integer not null default 0, c46 integer not null default 0, c47 integer not null default 0,
	c48 integer not null default 0, c49 integer not null default 0, c50 integer not null default 0, c51 integer not null default 0,
	c52 integer not null default 0
);

create index if not exists jobs_tally_start on jobs_tally (span, start_at);

-- The created versions of these tables; the highest counts.

create table if not exists jobs_schema (
	version integer primary key
);

insert into jobs_schema (version) values (1) on conflict do nothing;
