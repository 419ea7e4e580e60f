-- The deliveries that may exist: those from a token on, and some with lower tokens.
select * from {delivery} where token >= ?
union all
select * from {delivery} where token = any (?)
