-- Version 2 of the tables of Jobs: ids have the order of their bytes, as they have in lists of
-- jobs. Nothing is rewritten but the indexes that hold ids. It may run again.

alter table jobs_job alter column id type text collate "C";

insert into jobs_schema (version) values (2) on conflict do nothing;
