-- Version 1 of the tables of Jobs. It may run again, and drops nothing.

create table if not exists jobs_job (
	id text primary key check (length(id) <= 200),
	queue text not null check (length(queue) <= 200),
	state integer default 1 not null check (state between -2 and 5),
	place integer default 0 not null,
	due_at integer not null,
	since integer not null,
	created_at integer not null,
	attempt integer default 1 not null,
	token integer,
	cancel integer,
	key_name text check (length(key_name) <= 500),
	key_mode text,
	key_until integer,
	held_key text check (length(held_key) <= 500),
	payload blob not null,
	headers text,
	trail text,
	progress text,
	lane text check (length(lane) <= 100),
	urgency integer default 2 not null check (urgency between 0 and 3),
	ahead integer default 0 not null check (ahead between -1 and 0),
	expires_at integer,
	waits_for text check (length(waits_for) <= 500),
	check (state <> -1 or lane is not null),
	check (lane <> '' or urgency <> 2)
) strict;

create index if not exists jobs_job_ready on jobs_job (queue, place) where state = 1;

-- Lists go by since, which is the due time here: an index in the order of claims might be taken
-- for that of a lane, and all other lanes be read.

create index if not exists jobs_job_laned on jobs_job (queue, since, id) where state = -1;

create index if not exists jobs_job_lane on jobs_job (queue, lane, ahead, urgency, due_at, id) where state = -1;

create index if not exists jobs_job_ahead on jobs_job (queue, lane) where ahead = -1;

create index if not exists jobs_job_scheduled on jobs_job (queue, due_at, id) where state = 0;

create index if not exists jobs_job_waiting on jobs_job (queue, due_at, id) where state = -2;

create index if not exists jobs_job_running on jobs_job (queue, token) where state = 2;

create index if not exists jobs_job_dead on jobs_job (queue, since, id) where state = 3;

create index if not exists jobs_job_history on jobs_job (queue, since, id) where state > 3;

create index if not exists jobs_job_cancel on jobs_job (id) where cancel = 1;

create index if not exists jobs_job_expires on jobs_job (expires_at) where expires_at is not null;

create index if not exists jobs_job_waits_for on jobs_job (waits_for, due_at, id) where state = -2;

create unique index if not exists jobs_job_key on jobs_job (held_key);

create table if not exists jobs_queue (
	name text primary key check (length(name) <= 200),
	version integer default 0 not null,
	paused integer default 0 not null,
	paused_at integer default 0 not null,
	paused_by text default '' not null,
	max_running integer default -1 not null,
	limited_at integer default 0 not null,
	limited_by text default '' not null,
	refused_length integer default 0 not null,
	limit_hit integer default 0 not null,
	lanes_set integer default 0 not null,
	held_until integer default 0 not null
) strict;

-- The settings of operators for lanes. How many a queue has is in its row.

create table if not exists jobs_lane (
	queue text not null,
	lane text not null,
	paused_at integer,
	paused_by text,
	max_running integer,
	limited_at integer,
	limited_by text,
	primary key (queue, lane)
) strict;

-- What lets no job of a queue, or of a lane, start for a time. That of the whole queue has an empty lane.

create table if not exists jobs_gate (
	queue text not null,
	lane text not null,
	held_until integer default 0 not null,
	permit_at integer default 0 not null,
	kept_until integer default 0 not null,
	starts text,
	primary key (queue, lane)
) strict;

create table if not exists jobs_worker (
	id text primary key,
	last_beat integer not null,
	lease_until integer not null,
	lease integer not null check (lease between 0 and 86400000),
	reported integer default 0 not null,
	info text
) strict;

create table if not exists jobs_delivery (
	queue text not null,
	token integer not null,
	worker text,
	started_at integer not null,
	owner text not null,
	primary key (queue, token)
) strict;

create index if not exists jobs_delivery_worker on jobs_delivery (worker);

-- A schedule of which only a pause is known has no latest tick. A schedule put at run time has a version.

create table if not exists jobs_schedule (
	name text primary key,
	definition text,
	queue text,
	latest integer,
	touched_at integer not null,
	paused integer default 0 not null,
	fired text,
	offered text,
	outcome text,
	outcome_id text,
	outcome_due integer,
	version text,
	next_at integer,
	replaces text,
	spec text
) strict;

create index if not exists jobs_schedule_next on jobs_schedule (next_at, name);

-- The actions of operators, and the starts of new versions of the application.

create table if not exists jobs_note (
	id text primary key,
	noted_at integer default 0 not null,
	line text
) strict;

-- The settings of operators for workers, by kind and name. The row without an id has their revision.

create table if not exists jobs_setting (
	id text primary key,
	revision integer default 0 not null,
	changed_at integer default 0 not null,
	changed_by text,
	body text
) strict;

-- The jobs that keep others with the same key out for a time, by queue and key.

create table if not exists jobs_throttle (
	id text primary key,
	until_at integer default 0 not null,
	job_id text
) strict;

create index if not exists jobs_throttle_until on jobs_throttle (until_at);

-- The values that a job has saved while it ran. They go with the job.

create table if not exists jobs_saved (
	job text not null,
	name text not null check (length(name) <= 400),
	saved_at integer not null,
	body blob not null,
	primary key (job, name)
) strict;

-- How jobs have ended whose end is kept, until a while after its time.
create table if not exists jobs_end (
	id text primary key check (length(id) <= 500),
	state integer not null check (state between 3 and 5),
	until_at integer not null,
	trail text,
	body blob
) strict;
create index if not exists jobs_end_until on jobs_end (until_at);

-- The statistics of a queue in a minute or ten: c0 to c3 enqueued, succeeded,
-- retried, dead; c4 to c27 waiting times and c28 to c51 running times, each counted in
-- buckets of less than 1, 2, 4, 8 ... milliseconds; c52 expired.

create table if not exists jobs_tally (
	id text primary key,
	queue text not null,
	span integer not null,
	start_at integer not null,
	c0 integer default 0 not null, c1 integer default 0 not null, c2 integer default 0 not null, c3 integer default 0 not null,
	c4 integer default 0 not null, c5 integer default 0 not null, c6 integer default 0 not null, c7 integer default 0 not null,
	c8 integer default 0 not null, c9 integer default 0 not null, c10 integer default 0 not null, c11 integer default 0 not null,
	c12 integer default 0 not null, c13 integer default 0 not null, c14 integer default 0 not null, c15 integer default 0 not null,
	c16 integer default 0 not null, c17 integer default 0 not null, c18 integer default 0 not null, c19 integer default 0 not null,
	c20 integer default 0 not null, c21 integer default 0 not null, c22 integer default 0 not null, c23 integer default 0 not null,
	c24 integer default 0 not null, c25 integer default 0 not null, c26 integer default 0 not null, c27 integer default 0 not null,
	c28 integer default 0 not null, c29 integer default 0 not null, c30 integer default 0 not null, c31 integer default 0 not null,
	c32 integer default 0 not null, c33 integer default 0 not null, c34 integer default 0 not null, c35 integer default 0 not null,
	c36 integer default 0 not null, c37 integer default 0 not null, c38 integer default 0 not null, c39 integer default 0 not null,
	c40 integer default 0 not null, c41 integer default 0 not null, c42 integer default 0 not null, c43 integer default 0 not null,
	c44 integer default 0 not null, c45 integer default 0 not null, c46 integer default 0 not null, c47 integer default 0 not null,
	c48 integer default 0 not null, c49 integer default 0 not null, c50 integer default 0 not null, c51 integer default 0 not null,
	c52 integer default 0 not null
) strict;

create index if not exists jobs_tally_start on jobs_tally (span, start_at);

-- SQLite has no sequences.

create table if not exists jobs_counter (
	name text primary key check (name in ('place', 'token')),
	last integer not null check (last between 0 and 4503599627370496)
) strict;

insert into jobs_counter (name, last) values ('place', 0) on conflict do nothing;

insert into jobs_counter (name, last) values ('token', 0) on conflict do nothing;

-- The created versions of these tables; the highest counts.

create table if not exists jobs_schema (
	version integer primary key
) strict;

insert into jobs_schema (version) values (1) on conflict do nothing;
