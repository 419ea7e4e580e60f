-- The first queue with ready jobs in the rest of a gap between two known names.
select coalesce(
	(select j.queue from {job} j where j.state = {ready} and j.queue > gap.name and j.queue < gap.until
		order by j.queue, j.place limit 1),
	(select j.queue from {job} j where j.state = {ready} and j.queue > gap.name and gap.until is null
		order by j.queue, j.place limit 1)), gap.until
