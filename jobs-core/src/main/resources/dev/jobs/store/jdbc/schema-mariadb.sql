-- The tables of Jobs for MariaDB. All statements may run again; none drops anything.

create sequence if not exists jobs_place;

create sequence if not exists jobs_token;

create table if not exists jobs_job (
	id varchar(200) primary key,
	queue varchar(200) not null,
	state smallint default 1 not null,
	place bigint default (next value for jobs_place) not null,
	due_at bigint not null,
	since bigint not null,
	created_at bigint not null,
	attempt integer default 1 not null,
	token bigint,
	cancel smallint,
	key_name varchar(500),
	key_mode smallint,
	key_until bigint,
	held_key varchar(500),
	payload longblob not null,
	headers longtext,
	trail longtext,
	progress longtext
) engine = InnoDB default character set utf8mb4 collate utf8mb4_bin;

create index if not exists jobs_job_place on jobs_job (queue, state, place);

create index if not exists jobs_job_due on jobs_job (queue, state, due_at, id);

create index if not exists jobs_job_token on jobs_job (queue, state, token);

create index if not exists jobs_job_since on jobs_job (queue, state, since, id);

create index if not exists jobs_job_cancel on jobs_job (cancel);

create unique index if not exists jobs_job_key on jobs_job (held_key);

create table if not exists jobs_queue (
	name varchar(200) primary key,
	paused smallint default 0 not null,
	max_running integer default -1 not null,
	refused_at integer default 0 not null,
	limit_hit smallint default 0 not null
) engine = InnoDB default character set utf8mb4 collate utf8mb4_bin;

create table if not exists jobs_worker (
	id varchar(200) primary key,
	last_beat bigint not null,
	lease_until bigint not null,
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

create table if not exists jobs_schedule (
	name varchar(200) primary key,
	definition text not null,
	queue varchar(200) not null,
	latest bigint not null,
	touched_at bigint not null,
	offered varchar(200),
	outcome varchar(20),
	outcome_id varchar(200),
	outcome_due bigint
) engine = InnoDB default character set utf8mb4 collate utf8mb4_bin;
