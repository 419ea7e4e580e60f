select id, null from ended
union all
select null, q.name from {queue} q
where q.limit_hit <> 0 and q.name = any (array(select distinct queue from ended))
