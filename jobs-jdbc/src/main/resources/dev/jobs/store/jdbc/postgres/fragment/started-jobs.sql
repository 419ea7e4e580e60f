-- Give the jobs at the spots in "picked" to a worker. The token is drawn when all rows are locked, so it is
-- greater than any they were held under.
update {job} j set state = {running}, since = ?, cancel = null,
	token = (select nextval('{token}') from (select count(*) from picked) counted),
	held_key = {{held-key-of-running-jobs}}
where j.ctid = any (array(select spot from picked))
