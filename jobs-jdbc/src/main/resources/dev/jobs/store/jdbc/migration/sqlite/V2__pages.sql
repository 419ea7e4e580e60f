-- Version 2 of the tables of Jobs. It changes PostgreSQL only. It may run again.

insert into jobs_schema (version) values (2) on conflict do nothing;
