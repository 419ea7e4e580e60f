package dev.jobs.store.redis.partition;

import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;

import dev.jobs.Enqueued;
import dev.jobs.JobStoreException;
import dev.jobs.store.ReplicatedEnqueued;
import dev.jobs.store.redis.wire.Connection;
import dev.jobs.store.redis.wire.Links;
import dev.jobs.store.redis.wire.Partition;
import dev.jobs.store.redis.wire.RedisErrors;
import dev.jobs.text.ErrorText;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One enqueue of any number of jobs in batches, each of which is sent while the one
 * before is under way.
 */
public final class BatchedEnqueue {

	private static final Logger logger = LoggerFactory.getLogger(BatchedEnqueue.class);

	private final Links links;

	private final List<? extends EnqueueBatch> batches;

	private final Enqueued[] enqueued;

	/**
	 * Create an enqueue.
	 * @param links the links of the store
	 * @param batches the batches
	 * @param jobs how many jobs are in them
	 */
	public BatchedEnqueue(Links links, List<? extends EnqueueBatch> batches, int jobs) {
		this.links = links;
		this.batches = batches;
		this.enqueued = new Enqueued[jobs];
	}

	/**
	 * Store the jobs.
	 * @param early may get the outcome before this returns
	 * @return the outcome
	 */
	public List<Enqueued> run(Consumer<List<Enqueued>> early) {
		Connection connection = this.links.isReplicated() ? this.links.enqueues().connection() : null;
		store((connection == null) ? early : null);
		List<Enqueued> outcomes = Arrays.asList(this.enqueued);
		if (connection != null) {
			int replicas = replicas(connection);
			outcomes.replaceAll((each) -> ReplicatedEnqueued.of(each, replicas));
		}
		return outcomes;
	}

	private void store(@Nullable Consumer<List<Enqueued>> early) {
		EnqueueBatch underWay = null;
		try {
			for (EnqueueBatch batch : this.batches) {
				batch.send();
				if (this.batches.size() == 1 && early != null) {
					batch.onStored(early);
				}
				if (underWay != null) {
					underWay.finish(this.enqueued);
				}
				underWay = batch;
			}
			if (underWay != null) {
				underWay.finish(this.enqueued);
			}
		}
		catch (JobStoreException ex) {
			throw (underWay == null || this.batches.size() == 1) ? ex : RedisErrors.ofPart(ex);
		}
	}

	/**
	 * Wait for replicas, and return how many have all jobs sent over this connection. The
	 * server counts only for the connection that asks.
	 */
	private int replicas(Connection connection) {
		return this.batches.stream()
			.map(EnqueueBatch::partition)
			.distinct()
			.mapToInt((partition) -> replicas(partition, connection))
			.min()
			.orElse(Integer.MAX_VALUE);
	}

	private int replicas(Partition partition, Connection connection) {
		try {
			int replicas = this.links.enqueues()
				.waitForReplicas(partition, this.links.replicas(), this.links.replicaTimeout());
			return this.links.enqueues().isCurrent(connection) ? replicas : 0;
		}
		catch (JobStoreException ex) {
			logger.debug("It is unknown how many replicas have a job", ErrorText.loggable(ex));
			return 0;
		}
	}

}
