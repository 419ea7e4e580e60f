package dev.jobs.store.redis;

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
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongFunction;

import dev.jobs.JobStoreException;
import dev.jobs.store.ErrorText;
import dev.jobs.store.StoreFault;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Mends what does not fit together in the structures of a namespace, a bounded part of it
 * at a time, and says so. Nothing the store does leaves such things behind; a server that
 * lost writes, or another program, may.
 */
final class Repair {

	private static final Logger logger = LoggerFactory.getLogger(Repair.class);

	private static final Duration INTERVAL = Duration.ofSeconds(10);

	private static final int SLICE = 1000;

	private static final int MOST_IN_MEMORY = 200_000;

	private static final int STRAYS_AT_ONCE = 10;

	private static final List<String> SETS = List.of("scheduled", "retry", "running", "dead", "done");

	private final Link link;

	private final Partitions partitions;

	private final Health health;

	private final Map<String, Long> mended = new ConcurrentHashMap<>();

	private final Map<Integer, Long> missing = new ConcurrentHashMap<>();

	private final KeyFaults keyFaults;

	/** Runs that no worker held when they were last looked at, by partition. */
	private final Map<Integer, Set<String>> unheld = new ConcurrentHashMap<>();

	private final AtomicLong turn = new AtomicLong();

	private volatile @Nullable Instant last;

	Repair(Link link, Partitions partitions, Health health, KeyFaults keyFaults) {
		this.link = link;
		this.partitions = partitions;
		this.health = health;
		this.keyFaults = keyFaults;
	}

	/**
	 * Return how often each thing was mended since the start.
	 */
	Map<String, Long> mended() {
		return Map.copyOf(this.mended);
	}

	/**
	 * Take note that something was mended.
	 */
	void mended(String what, String queue, long many) {
		this.mended.merge(what, many, Long::sum);
		logger.warn("Mended {} {} of the queue '{}'", many, what, queue);
	}

	/**
	 * Tell of workers whose leases ended later than any can.
	 */
	void cutLeases(Reply workers) {
		while (workers.hasMore()) {
			logger.warn("The lease of the worker '{}' ended more than a day from now and was cut; "
					+ "unless the worker beats, its jobs are soon taken over", ErrorText.clean(workers.text()));
		}
	}

	/**
	 * Tell of something that only an operator can set right, once.
	 */
	void fault(String fault) {
		this.keyFaults.tell(new StoreFault(true, fault));
	}

	/**
	 * Look through the next part of all partitions, unless that was done a moment ago.
	 */
	void sweep(Instant now) {
		Instant last = this.last;
		if (last != null && Duration.between(last, now).abs().compareTo(INTERVAL) < 0) {
			return;
		}
		this.last = now;
		long turn = this.turn.getAndIncrement();
		for (int partition : this.partitions.all()) {
			try {
				sweep(partition, turn, now);
			}
			catch (JobStoreException ex) {
				logger.debug("Partition {} is looked through another time", partition, ErrorText.loggable(ex));
			}
		}
	}

	private synchronized void sweep(int partition, long turn, Instant now) {
		Set<String> unheld = this.unheld.computeIfAbsent(partition, (key) -> new LinkedHashSet<>());
		Arguments arguments = Arguments.at(now).add(turn);
		unheld.forEach(arguments::add);
		Reply reply = this.link.run(Script.REPAIR, this.partitions.keys(partition), arguments);
		long missing = reply.number();
		SharedKeys keys = new SharedKeys(this.health, this.partitions, now);
		Reply notes = reply.list();
		while (notes.hasMore()) {
			keys.forgetUnowned(notes.text(), notes.text());
		}
		this.keyFaults.read(this.partitions.key(partition, ""), reply.list());
		if (unheld.size() > SLICE) {
			unheld.clear();
		}
		Reply names = reply.list();
		while (names.hasMore()) {
			unheld.add(names.text());
		}
		while (reply.hasMore()) {
			mended(reply.text(), reply.text(), reply.number());
		}
		Long before = this.missing.put(partition, missing);
		if (missing > 0 && before != null && before > 0) {
			findStrays(partition, now);
		}
	}

	/**
	 * Look for jobs that are in no structure. That takes reading all of a partition's
	 * ids, and is done only if there are more jobs than entries.
	 */
	private void findStrays(int partition, Instant now) {
		Set<String> placed = placed(partition);
		if (placed.size() >= MOST_IN_MEMORY) {
			fault("There are more jobs than entries in partition " + partition
					+ ", but too many to look for them before the queues are shorter");
			return;
		}
		List<String> strays = new ArrayList<>();
		String from = "0";
		do {
			Reply reply = this.link.run(Script.IDS, this.partitions.keys(partition), Arguments.at(now).add(from));
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
			Reply queues = this.link.run(Script.STRAYS, this.partitions.keys(partition), arguments);
			while (queues.hasMore()) {
				mended("jobs in no structure", queues.text(), 1);
			}
		}
	}

	private Set<String> placed(int partition) {
		Set<String> placed = new HashSet<>();
		for (byte[] name : this.link.get(this.partitions.key(partition, "queues"), RedisClusterAsyncCommands::hkeys)) {
			String queue = new String(name, StandardCharsets.UTF_8);
			byte[] ready = this.partitions.key(partition, "q:" + queue + ":ready");
			add(placed, (from) -> this.link.get(ready, (server, list) -> server.lrange(list, from, from + SLICE - 1)));
			for (String set : SETS) {
				byte[] key = this.partitions.key(partition, "q:" + queue + ":" + set);
				add(placed,
						(from) -> this.link.get(key, (server, zset) -> server.zrange(zset, from, from + SLICE - 1)));
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
