-- The jobs that have a tag, found by the index of tags first, and their number; only the number if there are
-- too many. A condition on the id and an order may follow.
with tagged as materialized (
	select {{candidate-columns}} from {job} j where {{has-tag}} limit 10001
)
select {{candidate-columns}}, counted.all_tagged
from (select count(*) as all_tagged from tagged) counted
left join tagged j on counted.all_tagged <= 10000
