package dev.jobs.store.view;

import java.time.Instant;

import dev.jobs.WorkerStatus;
import dev.jobs.store.view.SettingsView.Value;
import org.jspecify.annotations.Nullable;

/**
 * A snapshot of a live worker.
 *
 * @param id its id
 * @param info its description, or {@code null} if it has not reported one yet
 * @param lastBeat its last sign of life
 * @param leaseUntil until when it counts as alive
 * @param running how many jobs it holds
 * @param quiet that it starts no jobs, or {@code null} if it does
 */
public record WorkerView(String id, @Nullable WorkerInfo info, Instant lastBeat, Instant leaseUntil, long running,
		@Nullable Value<Boolean> quiet) implements WorkerStatus {

	/**
	 * Create a view of a worker about which nothing else is known.
	 * @param id its id
	 * @param info its description, or {@code null} if it has not reported one yet
	 * @param lastBeat its last sign of life
	 * @param leaseUntil until when it counts as alive
	 * @param running how many jobs it holds
	 */
	public WorkerView(String id, @Nullable WorkerInfo info, Instant lastBeat, Instant leaseUntil, long running) {
		this(id, info, lastBeat, leaseUntil, running, null);
	}

}
