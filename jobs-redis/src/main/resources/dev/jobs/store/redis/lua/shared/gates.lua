-- What lets no job of a queue, or of a lane, start for a time: a hold, and the starts that a rate counts.
-- "gates" has a gate for each lane; that of the whole queue has an empty name. "gated" has the lanes that may
-- have jobs in line and give none before a time, which is the score. A gate is its version, until when nothing
-- starts, when it gives a permit again, how long the log of starts matters, and this log: a time, a number of
-- starts, and so on, each time after the first as what it is later. dev.jobs.store.support.Gate explains it.
-- Few calls need this, so it is one function, which returns the others.
--
-- needs      keys, names, line, fields, lanes
-- ARGV[1]    now
-- defines    gates

local function gates()
	local WINDOW_PARTS, FAR_AHEAD = 500, 60000

	-- The rates of a queue and of its lanes, and how long after now a job may begin, from a text.
	local function rates_in(text)
		local n = {}
		for number in string.gmatch(text, '%d+') do
			n[#n + 1] = tonumber(number)
		end
		local function rate(at)
			return n[at] > 0 and { starts = n[at], window = n[at + 1], burst = n[at + 2],
					part = math.ceil(n[at + 1] * n[at + 2] / n[at]), latest = now + n[7] } or nil
		end
		return #n == 7 and rate(1) or nil, #n == 7 and rate(4) or nil
	end

	-- A gate without its log is what a queue has whose rate was removed.
	local function gate_of(queue, lane)
		local stored = call('HGET', of(queue, PART.GATES), lane)
		local found = stored and fields(stored, 4)
		return { lane = lane, held = found and number(found[1]) or 0, permit = found and number(found[2]) or 0,
				kept = found and number(found[3]) or 0, text = found and found[4] or '' }
	end

	local function last_of(log)
		return log[#log] and log[#log].at or 0
	end

	-- The log, without what is in no window any more. If it is ahead of any clock, the server's was set back.
	local function log_of(gate, rate)
		local log, at = {}, 0
		for later, starts in string.gmatch(gate.text, '(%d+) (%d+)') do
			at = at + tonumber(later)
			if at > now - rate.window then
				log[#log + 1] = { at = at, starts = tonumber(starts) }
			end
		end
		if last_of(log) > rate.latest + rate.window + FAR_AHEAD then
			log.cut = true
			for _, entry in ipairs(log) do
				entry.at = math.min(entry.at, rate.latest)
			end
		end
		return log
	end

	local function count_in(log, window)
		local many = 0
		for _, entry in ipairs(log) do
			many = many + (entry.at > now - window and entry.starts or 0)
		end
		return many
	end

	local function permit_in(log, most, window)
		local many, at = count_in(log, window), 0
		for _, entry in ipairs(log) do
			if many < most then
				break
			elseif entry.at > now - window then
				many, at = many - entry.starts, entry.at + window
			end
		end
		return at
	end

	local function store_gate(queue, gate)
		if gate.changed then
			write_though_full()
			call('HSET', of(queue, PART.GATES), gate.lane, packed_with_version(string.format('%.0f', gate.held),
					string.format('%.0f', gate.permit), string.format('%.0f', gate.kept), gate.text))
			gate.changed = false
		end
	end

	local function set_permit(gate, at)
		gate.changed = gate.changed or at ~= gate.permit
		gate.permit = at
	end

	local function keep_log(gate, log, rate)
		local texts, before = {}, 0
		for i, entry in ipairs(log) do
			texts[i] = string.format('%.0f %.0f', entry.at - before, entry.starts)
			before = entry.at
		end
		gate.text = table.concat(texts, ' ')
		gate.kept, gate.changed = math.max(last_of(log) + rate.window, gate.held), true
		set_permit(gate, math.max(permit_in(log, rate.starts, rate.window), permit_in(log, rate.burst, rate.part)))
	end

	-- How many jobs may start now, by a rate if there is one.
	local function room_by(gate, rate)
		local room = math.huge
		if rate then
			local log = log_of(gate, rate)
			room = math.max(math.min(rate.starts - count_in(log, rate.window), rate.burst - count_in(log, rate.part)), 0)
			if log.cut then
				keep_log(gate, log, rate)
			else
				set_permit(gate, math.max(permit_in(log, rate.starts, rate.window), permit_in(log, rate.burst, rate.part)))
			end
		elseif gate.permit ~= 0 then
			set_permit(gate, 0)
		end
		return gate.held > now and 0 or room
	end

	-- Count starts. Those that differ by less than a part of a window become one entry with the later time.
	local function count_starts(gate, rate, many)
		local log, merged = log_of(gate, rate), {}
		log[#log + 1] = { at = math.max(rate.latest, last_of(log)), starts = many }
		for _, entry in ipairs(log) do
			local span = entry.at > now - rate.part and rate.part or rate.window
			local length = math.max(math.floor(span / WINDOW_PARTS), 1)
			local before = merged[#merged]
			if before and math.floor(before.at / length) == math.floor(entry.at / length) then
				before.at, before.starts = entry.at, before.starts + entry.starts
			else
				merged[#merged + 1] = entry
			end
		end
		keep_log(gate, merged, rate)
	end

	local function opens_at(gate)
		return math.max(gate.held, gate.permit)
	end

	-- Hold back a lane or, if its name is empty, the queue.
	local function hold_back(queue, lane, till)
		local gate = gate_of(queue, lane)
		if gate.held < till then
			gate.held, gate.kept, gate.changed = till, math.max(gate.kept, till), true
			store_gate(queue, gate)
		end
		if lane ~= '' then
			call('ZADD', of(queue, PART.GATED), 'GT', string.format('%.0f', till), lane)
		end
		signal('restricted ' .. queue)
	end

	-- End the holds of a queue and of its lanes.
	local function let_go(queue)
		local lanes = call('ZRANGE', of(queue, PART.GATED), 0, -1)
		lanes[#lanes + 1] = ''
		for _, lane in ipairs(call('EXISTS', of(queue, PART.GATES)) == 1 and lanes or {}) do
			local gate = gate_of(queue, lane)
			if gate.held > 0 then
				gate.held, gate.changed = 0, true
				store_gate(queue, gate)
				if lane ~= '' then
					call('ZADD', of(queue, PART.GATED), string.format('%.0f', gate.permit), lane)
				end
			end
		end
	end

	-- Drop some gates that are open for good.
	local function drop_gates(queue, many)
		local key, gone = of(queue, PART.GATES), {}
		local rows = call('EXISTS', key) == 1 and call('HRANDFIELD', key, many, 'WITHVALUES') or {}
		for i = 1, #rows, 2 do
			if number(fields(rows[i + 1], 3)[3]) <= now then
				gone[#gone + 1] = rows[i]
			end
		end
		each('HDEL', key, gone)
	end

	return { rates_in = rates_in, gate_of = gate_of, room_by = room_by, count_starts = count_starts,
			store_gate = store_gate, opens_at = opens_at, hold_back = hold_back, let_go = let_go, drop_gates = drop_gates }
end
