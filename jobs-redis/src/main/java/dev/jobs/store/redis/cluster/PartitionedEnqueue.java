package dev.jobs.store.redis.cluster;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

import dev.jobs.Enqueued;
import dev.jobs.Enqueued.Outcome;
import dev.jobs.JobStoreException;
import dev.jobs.store.NewJob;
import dev.jobs.store.ReplicatedEnqueued;
import dev.jobs.store.redis.layout.Partitions;
import dev.jobs.store.redis.partition.EnqueueBatch;
import dev.jobs.store.redis.partition.PartitionStore;
import dev.jobs.store.redis.wire.Connection;
import dev.jobs.store.redis.wire.Links;
import dev.jobs.store.redis.wire.RedisErrors;
import org.jspecify.annotations.Nullable;

/**
 * One enqueue of any number of jobs, in batches of one partition each; the next is sent
 * while the one before is under way. A job whose key other partitions must be asked for
 * is alone in its batch. Nothing is sent if one of the partitions is to be left alone.
 */
final class PartitionedEnqueue {

	private final Links links;

	private final PartitionHealth health;

	private final Partitions partitions;

	private final List<PartitionStore> stores;

	private final List<NewJob> jobs;

	private final Duration memory;

	private final Instant now;

	private final Enqueued[] enqueued;

	PartitionedEnqueue(Links links, PartitionHealth health, Partitions partitions, List<PartitionStore> stores,
			List<NewJob> jobs, Duration memory, Instant now) {
		this.links = links;
		this.health = health;
		this.partitions = partitions;
		this.stores = stores;
		this.jobs = jobs;
		this.memory = memory;
		this.now = now;
		this.enqueued = new Enqueued[jobs.size()];
	}

	List<Enqueued> run(Consumer<List<Enqueued>> early) {
		List<Part> parts = parts();
		Connection connection = this.links.isReplicated() ? this.links.enqueues().connection() : null;
		parts.forEach((part) -> this.health.requireNotLeftAlone(part.number()));
		Part underWay = null;
		try {
			for (Part part : parts) {
				part.send();
				if (parts.size() == 1 && connection == null && !part.shared) {
					part.batch.onStored(early);
				}
				if (underWay != null) {
					underWay.finish();
				}
				underWay = part;
			}
			if (underWay != null) {
				underWay.finish();
			}
		}
		catch (JobStoreException ex) {
			throw (underWay == null || parts.size() == 1) ? ex : RedisErrors.ofPart(ex);
		}
		List<Enqueued> enqueued = Arrays.asList(this.enqueued);
		if (connection != null) {
			int replicas = replicas(parts, connection);
			enqueued.replaceAll((each) -> ReplicatedEnqueued.of(each, replicas));
		}
		return enqueued;
	}

	private static int replicas(List<Part> parts, Connection connection) {
		return parts.stream()
			.map((part) -> part.store)
			.distinct()
			.mapToInt((store) -> store.replicas(connection))
			.min()
			.orElse(Integer.MAX_VALUE);
	}

	private List<Part> parts() {
		List<Part> parts = new ArrayList<>();
		Map<Integer, Part> open = new LinkedHashMap<>();
		for (int i = 0; i < this.jobs.size(); i++) {
			NewJob job = this.jobs.get(i);
			boolean shared = SharedKeys.isShared(job);
			int partition = this.partitions.of(job.name()).number();
			Part part = open.get(partition);
			if (part == null || shared || part.shared || part.batch.isFull()) {
				part = new Part(this.stores.get(partition), shared);
				open.put(partition, part);
				parts.add(part);
			}
			part.add(i);
		}
		return parts;
	}

	/**
	 * A batch, and the indexes of its jobs.
	 */
	private final class Part {

		private final PartitionStore store;

		private final boolean shared;

		private final EnqueueBatch batch;

		private final List<Integer> indexes = new ArrayList<>();

		private @Nullable Enqueued outcome;

		Part(PartitionStore store, boolean shared) {
			this.store = store;
			this.shared = shared;
			this.batch = store.batch(PartitionedEnqueue.this.memory, PartitionedEnqueue.this.now);
		}

		int number() {
			return this.store.partition().number();
		}

		void add(int index) {
			this.batch.add(PartitionedEnqueue.this.jobs.get(index));
			this.indexes.add(index);
		}

		void send() {
			if (this.shared) {
				this.outcome = storeWithSharedKey(PartitionedEnqueue.this.jobs.get(this.indexes.get(0)));
			}
			else {
				sendBatch();
			}
		}

		private void sendBatch() {
			PartitionHealth health = PartitionedEnqueue.this.health;
			health.requireNotLeftAlone(number());
			try {
				this.batch.send();
			}
			catch (JobStoreException ex) {
				throw health.recorded(number(), ex);
			}
		}

		private Enqueued storeWithSharedKey(NewJob job) {
			Duration memory = PartitionedEnqueue.this.memory;
			Instant now = PartitionedEnqueue.this.now;
			if (!memory.isZero() && isRemembered(job.id(), now)) {
				return Enqueued.of(job.id(), Outcome.NEW, job.dueAt());
			}
			SharedKeys keys = new SharedKeys(PartitionedEnqueue.this.links.commands(), PartitionedEnqueue.this.health,
					PartitionedEnqueue.this.partitions.all(), now);
			return keys.take(job, number(), this::store, (owner) -> isStored(job.id()) ? store() : owner);
		}

		private boolean isRemembered(String id, Instant now) {
			byte[] member = id.getBytes(StandardCharsets.UTF_8);
			Double end = PartitionedEnqueue.this.links.enqueues()
				.get(this.store.partition(), "remembered", (server, key) -> server.zscore(key, member));
			return end != null && end > now.toEpochMilli();
		}

		private boolean isStored(String id) {
			byte[] field = id.getBytes(StandardCharsets.UTF_8);
			return PartitionedEnqueue.this.links.enqueues()
				.get(this.store.partition(), "jobs", (server, key) -> server.hexists(key, field));
		}

		private Enqueued store() {
			sendBatch();
			return PartitionedEnqueue.this.health.await(number(), this.batch::finish).get(0);
		}

		void finish() {
			if (this.outcome != null) {
				PartitionedEnqueue.this.enqueued[this.indexes.get(0)] = this.outcome;
				return;
			}
			List<Enqueued> outcomes = PartitionedEnqueue.this.health.await(number(), this.batch::finish);
			for (int i = 0; i < outcomes.size(); i++) {
				PartitionedEnqueue.this.enqueued[this.indexes.get(i)] = outcomes.get(i);
			}
		}

	}

}
