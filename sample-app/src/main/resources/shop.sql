create table if not exists sale (
	id bigint generated always as identity primary key,
	customer varchar(200) not null,
	cents bigint not null
);

create table if not exists invoice (
	id bigint generated always as identity primary key,
	customer varchar(200) not null,
	cents bigint not null
);
