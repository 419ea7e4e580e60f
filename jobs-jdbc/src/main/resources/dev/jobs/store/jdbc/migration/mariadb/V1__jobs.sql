-- Version 1 of the tables of Jobs. It may run again, and drops nothing.

create sequence if not exists jobs_place;

create sequence if not exists jobs_token;

create table if not exists jobs_job (
	id varchar(200) primary key,
	queue varchar(200) not null,
	state smallint default 1 not null check (state between -2 and 5),
	place bigint default (next value for jobs_place) not null,
	due_at bigint not null,
	since bigint not null,
	created_at bigint not null,
	attempt integer default 1 not null,
	token bigint,
	cancel smallint,
	key_name varchar(500),
	key_mode varchar(200),
	key_until bigint,
	held_key varchar(500),
	payload longblob not null,
	headers longtext,
	trail longtext,
	progress longtext,
	lane varchar(100),
	urgency smallint default 2 not null check (urgency between 0 and 3),
	ahead smallint default 0 not null check (ahead between -1 and 0),
	expires_at bigint,
	waits_for varchar(500) collate utf8mb4_nopad_bin,
	check (state <> -1 or lane is not null),
	check (lane <> '' or urgency <> 2)
) engine = InnoDB default character set utf8mb4 collate utf8mb4_bin;

create index if not exists jobs_job_place on jobs_job (queue, state, place);

create index if not exists jobs_job_due on jobs_job (queue, state, due_at, id);

create index if not exists jobs_job_lane on jobs_job (queue, state, lane, ahead, urgency, due_at, id);

create index if not exists jobs_job_token on jobs_job (queue, state, token);

create index if not exists jobs_job_since on jobs_job (queue, state, since, id);

create index if not exists jobs_job_cancel on jobs_job (cancel);

create index if not exists jobs_job_expires on jobs_job (expires_at);

create index if not exists jobs_job_waits_for on jobs_job (waits_for, due_at);

create unique index if not exists jobs_job_key on jobs_job (held_key);

create table if not exists jobs_queue (
	name varchar(200) primary key,
	version bigint default 0 not null,
	paused smallint default 0 not null,
	paused_at bigint default 0 not null,
	paused_by varchar(200) default '' not null,
	max_running integer default -1 not null,
	limited_at bigint default 0 not null,
	limited_by varchar(200) default '' not null,
	refused_length integer default 0 not null,
	limit_hit smallint default 0 not null,
	lanes_set integer default 0 not null,
	held_until bigint default 0 not null
) engine = InnoDB default character set utf8mb4 collate utf8mb4_bin;

-- The settings of operators for lanes. How many a queue has is in its row.

create table if not exists jobs_lane (
	queue varchar(200) not null,
	lane varchar(100) not null,
	paused_at bigint,
	paused_by varchar(300),
	max_running integer,
	limited_at bigint,
	limited_by varchar(300),
	primary key (queue, lane)
) engine = InnoDB default character set utf8mb4 collate utf8mb4_bin;

-- What lets no job of a queue, or of a lane, start for a time. That of the whole queue has an empty lane.

create table if not exists jobs_gate (
	queue varchar(200) not null,
	lane varchar(100) not null,
	held_until bigint default 0 not null,
	permit_at bigint default 0 not null,
	kept_until bigint default 0 not null,
	starts text,
	primary key (queue, lane)
) engine = InnoDB default character set utf8mb4 collate utf8mb4_bin;

create table if not exists jobs_worker (
	id varchar(200) primary key,
	last_beat bigint not null,
	lease_until bigint not null,
	lease bigint not null check (lease between 0 and 86400000),
	reported bigint default 0 not null,
	info longtext
) engine = InnoDB default character set utf8mb4 collate utf8mb4_bin;

create table if not exists jobs_delivery (
	queue varchar(200) not null,
	token bigint not null,
	worker varchar(200),
	started_at bigint not null,
	owner varchar(200) not null,
	primary key (queue, token)
) engine = InnoDB default character set utf8mb4 collate utf8mb4_bin;

create index if not exists jobs_delivery_worker on jobs_delivery (worker);

-- A schedule of which only a pause is known has no latest tick. A schedule put at run time has a version.

create table if not exists jobs_schedule (
	name varchar(200) primary key,
	definition text,
	queue varchar(200),
	latest bigint,
	touched_at bigint not null,
	paused smallint default 0 not null,
	fired text,
	offered varchar(200),
	outcome varchar(20),
	outcome_id varchar(200),
	outcome_due bigint,
	version varchar(100),
	next_at bigint,
	replaces text,
	spec longtext
) engine = InnoDB default character set utf8mb4 collate utf8mb4_bin;

create index if not exists jobs_schedule_next on jobs_schedule (next_at, name);

-- The actions of operators, and the starts of new versions of the application.

create table if not exists jobs_note (
	id varchar(200) primary key,
	noted_at bigint default 0 not null,
	line varchar(2000)
) engine = InnoDB default character set utf8mb4 collate utf8mb4_bin;

-- The settings of operators for workers, by kind and name. The row without an id has their revision.

create table if not exists jobs_setting (
	id varchar(300) primary key,
	revision bigint default 0 not null,
	changed_at bigint default 0 not null,
	changed_by varchar(300),
	body longtext
) engine = InnoDB default character set utf8mb4 collate utf8mb4_bin;

-- The jobs that keep others with the same key out for a time, by queue and key.

create table if not exists jobs_throttle (
	id varchar(400) primary key,
	until_at bigint default 0 not null,
	job_id varchar(200)
) engine = InnoDB default character set utf8mb4 collate utf8mb4_bin;

create index if not exists jobs_throttle_until on jobs_throttle (until_at);

-- The values that a job has saved while it ran. They go with the job.

create table if not exists jobs_saved (
	job varchar(200) not null,
	name varchar(400) collate utf8mb4_nopad_bin not null,
	saved_at bigint not null,
	body longblob not null,
	primary key (job, name)
) engine = InnoDB default character set utf8mb4 collate utf8mb4_bin;

-- How jobs have ended whose end is kept, until a while after its time.
create table if not exists jobs_end (
	id varchar(500) collate utf8mb4_nopad_bin primary key,
	state smallint not null check (state between 3 and 5),
	until_at bigint not null,
	trail longtext,
	body longblob
) engine = InnoDB default character set utf8mb4 collate utf8mb4_bin;
create index if not exists jobs_end_until on jobs_end (until_at);

-- The statistics of a queue in a minute or ten: c0 to c3 enqueued, succeeded,
-- retried, dead; c4 to c27 waiting times and c28 to c51 running times, each counted in
-- buckets of less than 1, 2, 4, 8 ... milliseconds; c52 expired.

create table if not exists jobs_tally (
	id varchar(300) primary key,
	queue varchar(200) not null,
	span smallint not null,
	start_at bigint not null,
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
) engine = InnoDB default character set utf8mb4 collate utf8mb4_bin;

create index if not exists jobs_tally_start on jobs_tally (span, start_at);

-- The created versions of these tables; the highest counts.

create table if not exists jobs_schema (
	version integer primary key
) engine = InnoDB;

insert ignore into jobs_schema (version) values (1);
