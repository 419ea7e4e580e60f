package dev.jobs.store.view;

import java.time.Instant;

import dev.jobs.WorkerStatus;
import org.jspecify.annotations.Nullable;

/**
 * A snapshot of a live worker.
 *
 * @param id its id
 * @param info its description, or {@code null} if it has not reported one yet
 * @param lastBeat its last sign of life
 * @param leaseUntil until when it counts as alive
 * @param running how many jobs it holds
 */
public record WorkerView(String id, @Nullable WorkerInfo info, Instant lastBeat, Instant leaseUntil,
		long running) implements WorkerStatus {

}
