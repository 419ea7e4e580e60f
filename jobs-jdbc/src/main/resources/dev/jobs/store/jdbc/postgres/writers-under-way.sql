-- The transactions with a lock on a table under which they may have written to it. A prepared one is known
-- only by its numbers. The view is read once, so that numbers and locks are of one moment.
select virtualtransaction, pid is null, array_agg(transactionid::text)
	filter (where locktype = 'transactionid' and mode = 'ExclusiveLock')
from pg_locks
group by virtualtransaction, pid
having bool_or(locktype = 'relation' and relation = cast(? as regclass)
	and database = (select oid from pg_database where datname = current_database())
	and mode in ('RowShareLock', 'RowExclusiveLock'))
