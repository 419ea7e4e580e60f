-- The first ready job of a queue between its mark and a candidate for a higher mark.
select place from {job}
where queue = ? and state = {ready} and place >= ? and place < ?
order by place limit 1
