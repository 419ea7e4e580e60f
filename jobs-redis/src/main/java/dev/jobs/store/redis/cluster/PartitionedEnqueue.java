package dev.jobs.store.redis.cluster;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

import dev.jobs.Enqueued;
import dev.jobs.Enqueued.Outcome;
import dev.jobs.JobStoreException;
import dev.jobs.store.NewJob;
import dev.jobs.store.redis.layout.Partitions;
import dev.jobs.store.redis.partition.BatchedEnqueue;
import dev.jobs.store.redis.partition.EnqueueBatch;
import dev.jobs.store.redis.wire.Links;
import dev.jobs.store.redis.wire.Partition;
import org.jspecify.annotations.Nullable;

/**
 * One enqueue of any number of jobs, in batches of one partition each; the next is sent
 * while the one before is under way. A job whose key may be owned in another partition is
 * alone in its batch. Nothing is sent if one of the partitions is left alone.
 */
record PartitionedEnqueue(Links links, PartitionHealth health, Partitions partitions, List<NewJob> jobs,
		Duration memory, Instant now) {

	List<Enqueued> run(Consumer<List<Enqueued>> early) {
		List<Part> parts = parts();
		parts.forEach((part) -> this.health.requireNotLeftAlone(part.number()));
		return new BatchedEnqueue(this.links, parts, this.jobs.size()).run(early);
	}

	private List<Part> parts() {
		List<Part> parts = new ArrayList<>();
		Map<Partition, Part> open = new HashMap<>();
		for (int i = 0; i < this.jobs.size(); i++) {
			NewJob job = this.jobs.get(i);
			Partition partition = this.partitions.of(job.name());
			Part part = open.get(partition);
			if (part == null || part.sharing != null || SharedKeys.isShared(job) || part.isFull()) {
				part = new Part(partition, SharedKeys.isShared(job) ? job : null);
				open.put(partition, part);
				parts.add(part);
			}
			part.add(job, i);
		}
		return parts;
	}

	/**
	 * A batch for one partition, which may fail on its own.
	 */
	private final class Part extends EnqueueBatch {

		private final PartitionHealth health = PartitionedEnqueue.this.health;

		/** The only job, if its key may be owned in another partition. */
		private final @Nullable NewJob sharing;

		private @Nullable Enqueued outcome;

		Part(Partition partition, @Nullable NewJob sharing) {
			super(PartitionedEnqueue.this.links.enqueues(), partition, PartitionedEnqueue.this.memory,
					PartitionedEnqueue.this.now);
			this.sharing = sharing;
		}

		int number() {
			return partition().number();
		}

		@Override
		public void send() {
			if (this.sharing != null) {
				this.outcome = storeWithSharedKey(this.sharing);
			}
			else {
				sendBatch();
			}
		}

		private void sendBatch() {
			this.health.requireNotLeftAlone(number());
			try {
				super.send();
			}
			catch (JobStoreException ex) {
				throw this.health.recorded(number(), ex);
			}
		}

		private Enqueued storeWithSharedKey(NewJob job) {
			Instant now = PartitionedEnqueue.this.now;
			if (!PartitionedEnqueue.this.memory.isZero() && isRemembered(job.id(), now)) {
				return Enqueued.of(job.id(), Outcome.NEW, job.dueAt());
			}
			SharedKeys keys = new SharedKeys(PartitionedEnqueue.this.links.commands(), this.health,
					PartitionedEnqueue.this.partitions.all(), now);
			return keys.take(job, number(), this::store, (owner) -> isStored(job.id()) ? store() : owner);
		}

		private boolean isRemembered(String id, Instant now) {
			byte[] member = id.getBytes(StandardCharsets.UTF_8);
			Double end = PartitionedEnqueue.this.links.enqueues()
				.get(partition(), "remembered", (server, key) -> server.zscore(key, member));
			return end != null && end > now.toEpochMilli();
		}

		private boolean isStored(String id) {
			byte[] field = id.getBytes(StandardCharsets.UTF_8);
			return PartitionedEnqueue.this.links.enqueues()
				.get(partition(), "jobs", (server, key) -> server.hexists(key, field));
		}

		private Enqueued store() {
			sendBatch();
			return outcomes().get(0);
		}

		@Override
		protected List<Enqueued> outcomes() {
			return (this.outcome != null) ? List.of(this.outcome) : this.health.await(number(), super::outcomes);
		}

	}

}
