-- The tokens in a range that have deliveries, without known ones.
select distinct token from {delivery}
where token >= ? and token < ? and not token = any (?)
limit ?
