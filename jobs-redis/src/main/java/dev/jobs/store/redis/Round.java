package dev.jobs.store.redis;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import dev.jobs.JobStoreException;
import org.jspecify.annotations.Nullable;

/**
 * Calls to several partitions, sent at once. A partition that fails delays the replies of
 * the others for a short time at most, and is left out of further rounds until it
 * answers.
 */
final class Round {

	private final Link link;

	private final Partitions partitions;

	private final Health health;

	private final Map<Integer, Link.Call> calls = new LinkedHashMap<>();

	private @Nullable JobStoreException fault;

	Round(Link link, Partitions partitions, Health health) {
		this.link = link;
		this.partitions = partitions;
		this.health = health;
	}

	/**
	 * Have a script run in a partition, unless that is to be left alone.
	 */
	void send(int partition, Script script, Arguments arguments) {
		if (this.health.isLeftAlone(partition)) {
			return;
		}
		try {
			this.calls.put(partition, this.link.send(script, this.partitions.keys(partition), arguments));
		}
		catch (JobStoreException ex) {
			failed(partition, ex);
		}
	}

	/**
	 * Wait for the replies.
	 * @return those that came, by partition, in the order of the calls
	 * @throws JobStoreException if none came and all partitions fail, or for a fault that
	 * will not pass
	 */
	Map<Integer, Reply> replies() {
		this.link.await(List.copyOf(this.calls.values()));
		Map<Integer, Reply> replies = new LinkedHashMap<>();
		this.calls.forEach((partition, call) -> {
			try {
				replies.put(partition, call.reply());
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
