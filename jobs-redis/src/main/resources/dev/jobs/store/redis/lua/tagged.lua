-- Lists the jobs with a tag, in each queue in the order of their ids.
--
-- KEYS[1]    hash of the jobs
-- ARGV[1]    now
-- ARGV[2]    tag
-- ARGV[3]    queue, or empty for all
-- ARGV[4]    1 if the newest ids come first
-- ARGV[5]    id after which to begin, or empty for the first
-- ARGV[6]    how many to list of each queue at most
-- returns    their ids
-- errors     none

local first, last = '(' .. ARGV[2] .. ',' .. ARGV[5], '(' .. ARGV[2] .. '-'
if ARGV[4] == '1' and ARGV[5] ~= '' then
	first, last = '[' .. ARGV[2] .. ',', '(' .. ARGV[2] .. ',' .. ARGV[5]
end

local ids = {}
for _, queue in ipairs(ARGV[3] == '' and call('HKEYS', QUEUES) or { ARGV[3] }) do
	if not fault_in(queue) then
		local members
		if ARGV[4] == '1' then
			members = call('ZREVRANGEBYLEX', of(queue, PART.TAGS), last, first, 'LIMIT', 0, ARGV[6])
		else
			members = call('ZRANGEBYLEX', of(queue, PART.TAGS), first, last, 'LIMIT', 0, ARGV[6])
		end
		for _, member in ipairs(members) do
			ids[#ids + 1] = string.sub(member, #ARGV[2] + 2)
		end
	end
end
return ids
