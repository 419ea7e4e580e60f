-- Version 2 of the tables of Jobs. It changes PostgreSQL only. It may run again.

insert ignore into jobs_schema (version) values (2);
