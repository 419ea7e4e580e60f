-- The tokens in a range that have deliveries, without some that are known.
select distinct token from {delivery}
where token >= ? and token < ? and not token = any (?)
limit ?
