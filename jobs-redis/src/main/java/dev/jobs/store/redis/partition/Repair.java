package dev.jobs.store.redis.partition;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongFunction;

import dev.jobs.JobStoreException;
import dev.jobs.store.redis.wire.Arguments;
import dev.jobs.store.redis.wire.FaultLog;
import dev.jobs.store.redis.wire.Link;
import dev.jobs.store.redis.wire.Partition;
import dev.jobs.store.redis.wire.Reply;
import dev.jobs.store.redis.wire.Script;
import dev.jobs.store.support.StoreFault;
import dev.jobs.text.ErrorText;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Repairs inconsistencies in the structures of a partition, a bounded part at a time, and
 * logs them. The store itself leaves none behind, but a server that lost writes, or
 * another program, may.
 */
final class Repair {

	private static final Logger logger = LoggerFactory.getLogger(Repair.class);

	private static final Duration INTERVAL = Duration.ofSeconds(10);

	private static final int SLICE = 1000;

	private static final int MOST_IN_MEMORY = 200_000;

	private static final int STRAYS_AT_ONCE = 10;

	private static final List<String> SETS = List.of("scheduled", "retry", "running", "dead", "done", "laned",
			"waiting");

	private final Link link;

	private final Partition partition;

	private final Map<String, Long> repairs = new ConcurrentHashMap<>();

	private final FaultLog faultLog;

	/** The runs that no worker held at the last check. */
	private final Set<String> unheld = new LinkedHashSet<>();

	/** How many jobs were in no structure at the last check. */
	private long missing;

	private long turn;

	private @Nullable Instant last;

	Repair(Link link, Partition partition, FaultLog faultLog) {
		this.link = link;
		this.partition = partition;
		this.faultLog = faultLog;
	}

	/**
	 * Return how often each kind was repaired since the start.
	 */
	Map<String, Long> repairs() {
		return Map.copyOf(this.repairs);
	}

	/**
	 * Count and log a repair.
	 */
	void repaired(String what, String queue, long many) {
		this.repairs.merge(what, many, Long::sum);
		logger.warn("Repaired {} {} in the queue '{}'", many, what, queue);
	}

	/**
	 * Log the workers whose leases ended later than possible.
	 */
	void cutLeases(Reply workers) {
		while (workers.hasMore()) {
			logger.warn(
					"The lease of the worker '{}' ended later than it can and was cut, since the clock was set back "
							+ "or another program wrote it; unless the worker beats, its jobs are soon taken over",
					ErrorText.clean(workers.text()));
		}
	}

	/**
	 * Log once a fault that only an operator can correct.
	 */
	void fault(String fault) {
		this.faultLog.log(new StoreFault(true, fault));
	}

	/**
	 * Check the next part of the structures, unless that was done a moment ago.
	 * @return whether it was checked
	 */
	synchronized boolean sweep(Instant now) {
		Instant last = this.last;
		if (last != null && Duration.between(last, now).abs().compareTo(INTERVAL) < 0) {
			return false;
		}
		this.last = now;
		try {
			check(now);
			return true;
		}
		catch (JobStoreException ex) {
			logger.debug("Partition {} could not be checked now", this.partition.number(), ErrorText.loggable(ex));
			return false;
		}
	}

	private void check(Instant now) {
		Arguments arguments = Arguments.at(now).add(this.turn++);
		this.unheld.forEach(arguments::add);
		Reply reply = this.link.run(Script.REPAIR, this.partition, arguments);
		long missing = reply.number();
		this.faultLog.read(this.partition, reply.list());
		if (this.unheld.size() > SLICE) {
			this.unheld.clear();
		}
		Reply names = reply.list();
		while (names.hasMore()) {
			this.unheld.add(names.text());
		}
		while (reply.hasMore()) {
			repaired(reply.text(), reply.text(), reply.number());
		}
		boolean missingBefore = this.missing > 0;
		this.missing = missing;
		if (missing > 0 && missingBefore) {
			findStrays(now);
		}
	}

	/**
	 * Find the jobs that are in no structure. This reads all ids of the partition, so it
	 * is done only if there are more jobs than entries.
	 */
	private void findStrays(Instant now) {
		Set<String> placed = placed();
		if (placed.size() >= MOST_IN_MEMORY) {
			fault("There are more jobs than entries in partition " + this.partition.number()
					+ ", but too many to look for them before the queues are shorter");
			return;
		}
		List<String> strays = new ArrayList<>();
		String from = "0";
		do {
			Reply reply = this.link.run(Script.IDS, this.partition, Arguments.at(now).add(from));
			from = reply.text();
			Reply ids = reply.list();
			while (ids.hasMore()) {
				String id = ids.text();
				if (!placed.contains(id)) {
					strays.add(id);
				}
			}
		}
		while (!from.equals("0"));
		for (int i = 0; i < strays.size(); i += STRAYS_AT_ONCE) {
			Arguments arguments = Arguments.at(now);
			strays.subList(i, Math.min(i + STRAYS_AT_ONCE, strays.size())).forEach(arguments::add);
			Reply queues = this.link.run(Script.STRAYS, this.partition, arguments);
			while (queues.hasMore()) {
				repaired("jobs in no structure", queues.text(), 1);
			}
		}
	}

	private Set<String> placed() {
		Set<String> placed = new HashSet<>();
		for (byte[] name : this.link.get(this.partition, "queues", RedisClusterAsyncCommands::hkeys)) {
			String queue = new String(name, StandardCharsets.UTF_8);
			add(placed, (from) -> this.link.get(this.partition, "q:" + queue + ":ready",
					(server, list) -> server.lrange(list, from, from + SLICE - 1)));
			for (String set : SETS) {
				add(placed, (from) -> this.link.get(this.partition, "q:" + queue + ":" + set,
						(server, zset) -> server.zrange(zset, from, from + SLICE - 1)));
			}
		}
		return placed;
	}

	private static void add(Set<String> placed, LongFunction<List<byte[]>> slices) {
		int read = SLICE;
		for (long from = 0; read == SLICE && placed.size() < MOST_IN_MEMORY; from += SLICE) {
			List<byte[]> slice = slices.apply(from);
			slice.forEach((id) -> placed.add(new String(id, StandardCharsets.UTF_8)));
			read = slice.size();
		}
	}

}
