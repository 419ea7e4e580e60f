-- The table of the outbox of Jobs for MariaDB. It may run again, and drops nothing.

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
