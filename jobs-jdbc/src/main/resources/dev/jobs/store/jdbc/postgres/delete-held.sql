-- Delete jobs that are held under given tokens. That a job has a token means that it runs:
-- to name its state would tempt the planner to use the index of running jobs.
delete from {job} j
using unnest(?::text[], ?::bigint[]) as ended (id, token)
where j.id = ended.id and j.token = ended.token
returning j.id
