-- Renew the lease of a registered worker that holds nothing. Returns the time of the
-- database, the last token, the first tick of schedules that were put and the revision of the
-- settings for workers; no row if the worker is not registered or holds jobs.
with adopted as (
	{{open-queues-with-jobs}}
)
update {worker} w set last_beat = ?, lease_until = ?, lease = ?, info = coalesce(?::text, info)
where w.id = ? and not exists (select 1 from ({{live-deliveries}}) d where d.worker = w.id)
returning floor(extract(epoch from clock_timestamp()) * 1000)::bigint, ({{last-token}}),
	(select min(s.next_at) from {schedule} s), (select s.revision from {setting} s where s.id = '')
