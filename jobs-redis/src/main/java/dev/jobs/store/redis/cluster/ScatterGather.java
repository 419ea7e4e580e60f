package dev.jobs.store.redis.cluster;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Supplier;

import dev.jobs.JobStoreException;
import dev.jobs.store.redis.wire.Link;
import dev.jobs.store.redis.wire.PendingReply;
import org.jspecify.annotations.Nullable;

/**
 * Calls to several partitions, sent at once. A partition that fails delays the replies of
 * the others only briefly, and is left out of further calls until it answers.
 *
 * @param <T> the type of a partition's reply
 */
final class ScatterGather<T> {

	private final Link link;

	private final PartitionHealth health;

	private final Map<Integer, PendingReply<T>> pending = new LinkedHashMap<>();

	private @Nullable JobStoreException fault;

	ScatterGather(Link link, PartitionHealth health) {
		this.link = link;
		this.health = health;
	}

	/**
	 * Send a call to a partition unless it is left alone.
	 */
	void send(int partition, Supplier<PendingReply<T>> call) {
		if (this.health.isLeftAlone(partition)) {
			return;
		}
		try {
			this.pending.put(partition, call.get());
		}
		catch (JobStoreException ex) {
			failed(partition, ex);
		}
	}

	/**
	 * Wait for the replies.
	 * @return the replies that came, by partition, in the order of the calls
	 * @throws JobStoreException if none came and all partitions fail, or for a fault that
	 * is not temporary
	 */
	Map<Integer, T> gather() {
		this.link.await(this.pending.values().stream().<Link.Call>map(PendingReply::call).toList());
		Map<Integer, T> replies = new LinkedHashMap<>();
		this.pending.forEach((partition, reply) -> {
			try {
				replies.put(partition, reply.get());
				this.health.succeeded(partition);
			}
			catch (JobStoreException ex) {
				failed(partition, ex);
			}
		});
		if (this.fault != null && replies.isEmpty() && this.health.isAllFailing()) {
			throw this.fault;
		}
		return replies;
	}

	private void failed(int partition, JobStoreException ex) {
		this.fault = (this.fault != null) ? this.fault : ex;
		this.health.failed(partition, ex);
	}

}
