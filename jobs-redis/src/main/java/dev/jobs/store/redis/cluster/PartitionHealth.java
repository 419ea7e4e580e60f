package dev.jobs.store.redis.cluster;

import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;

import dev.jobs.JobStoreException;
import dev.jobs.store.redis.wire.Link;
import dev.jobs.store.redis.wire.Partition;
import dev.jobs.store.redis.wire.RedisErrors;
import dev.jobs.text.ErrorText;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Knows which partitions fail, so that they do not delay the others: they are left alone
 * until they answer a ping, which is sent once a second. While all of them fail, all are
 * called.
 */
final class PartitionHealth {

	private static final Logger logger = LoggerFactory.getLogger(PartitionHealth.class);

	private static final Executor AFTER_A_SECOND = CompletableFuture.delayedExecutor(1, TimeUnit.SECONDS);

	private static final Executor AFTER_A_WHILE = CompletableFuture.delayedExecutor(30, TimeUnit.SECONDS);

	private final Link link;

	private final List<Partition> partitions;

	private final Set<Integer> failing = ConcurrentHashMap.newKeySet();

	private final Set<Integer> asked = ConcurrentHashMap.newKeySet();

	private final AtomicBoolean logging = new AtomicBoolean();

	PartitionHealth(Link link, List<Partition> partitions) {
		this.link = link;
		this.partitions = partitions;
	}

	/**
	 * Return whether to leave a partition alone. If so, it gets a ping.
	 */
	boolean isLeftAlone(int partition) {
		boolean leftAlone = this.failing.contains(partition) && !isAllFailing();
		if (leftAlone) {
			ping(partition);
		}
		return leftAlone;
	}

	/**
	 * Throw at once if a partition is left alone.
	 */
	void requireNotLeftAlone(int partition) {
		if (isLeftAlone(partition)) {
			throw JobStoreException.refused("A part of Redis cannot be reached at the moment", null, true);
		}
	}

	boolean isAllFailing() {
		return this.failing.size() >= this.partitions.size();
	}

	void succeeded(int partition) {
		if (!this.failing.isEmpty() && this.failing.remove(partition)) {
			logger.debug("Partition {} answers again", partition);
		}
	}

	/**
	 * Record a fault.
	 * @throws JobStoreException the fault itself, if it is not temporary
	 */
	void failed(int partition, JobStoreException fault) {
		if (!fault.isTemporary()) {
			throw fault;
		}
		if (this.failing.add(partition) && this.logging.compareAndSet(false, true)) {
			AFTER_A_SECOND.execute(() -> log(fault));
			AFTER_A_WHILE.execute(() -> this.logging.set(false));
		}
	}

	/**
	 * Log once which partitions fail, when all partitions of a server have been tried.
	 */
	private void log(JobStoreException fault) {
		Set<Integer> failing = new TreeSet<>(this.failing);
		if (!failing.isEmpty() && failing.size() < this.partitions.size()) {
			logger.warn("Partitions {} of {} fail; the others continue without them: {}", failing,
					this.partitions.size(), ErrorText.clean(String.valueOf(fault.getMessage())));
		}
	}

	/**
	 * Call a partition unless it is left alone, and record whether it answers.
	 */
	<T> T call(int partition, Supplier<T> call) {
		requireNotLeftAlone(partition);
		return await(partition, call);
	}

	/**
	 * Wait for a partition, and record whether it answers.
	 */
	<T> T await(int partition, Supplier<T> reply) {
		try {
			T result = reply.get();
			succeeded(partition);
			return result;
		}
		catch (JobStoreException ex) {
			throw recorded(partition, ex);
		}
	}

	/**
	 * Record a fault unless the server itself replied it. A server that refuses one call
	 * does not count as failing, since it may accept others.
	 */
	JobStoreException recorded(int partition, JobStoreException fault) {
		if (fault.isTemporary() && !RedisErrors.isAnswer(fault)) {
			failed(partition, fault);
		}
		return fault;
	}

	private void ping(int partition) {
		if (!this.asked.add(partition)) {
			return;
		}
		try {
			CompletableFuture<?> answer = this.link.ping(this.partitions.get(partition));
			answer.thenRun(() -> succeeded(partition));
			AFTER_A_SECOND.execute(() -> {
				answer.cancel(true);
				this.asked.remove(partition);
			});
		}
		catch (RuntimeException ex) {
			AFTER_A_SECOND.execute(() -> this.asked.remove(partition));
		}
	}

}
