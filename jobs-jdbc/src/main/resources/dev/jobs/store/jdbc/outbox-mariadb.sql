-- The tables of the outbox of Jobs for MariaDB. It may run again, and drops nothing.

create table if not exists jobs_outbox (
	place bigint auto_increment primary key,
	id varchar(200) not null,
	queue varchar(200) not null,
	payload longblob not null,
	headers longtext,
	created_at bigint not null,
	due_at bigint not null,
	key_digest varchar(200),
	key_mode varchar(200),
	key_scope varchar(200),
	key_until bigint,
	key_rule varchar(200),
	max_length integer default 0 not null,
	max_in_lane integer default 0 not null,
	problem longtext
) engine = InnoDB default character set utf8mb4 collate utf8mb4_bin;

-- The marks of transactional steps, each committed with the effect of its step.

create table if not exists jobs_step (
	job varchar(200) not null,
	payload varchar(40) not null,
	name varchar(400) collate utf8mb4_nopad_bin not null,
	done_at bigint not null,
	body longblob not null,
	primary key (job, payload, name)
) engine = InnoDB default character set utf8mb4 collate utf8mb4_bin;

create index if not exists jobs_step_done on jobs_step (done_at);
