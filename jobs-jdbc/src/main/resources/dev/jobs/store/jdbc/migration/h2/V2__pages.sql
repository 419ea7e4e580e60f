-- Version 2 of the tables of Jobs. It changes PostgreSQL only. It may run again.

merge into jobs_schema (version) key (version) values (2);
