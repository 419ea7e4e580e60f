package dev.jobs.store.view;

import java.time.Instant;

import dev.jobs.WorkerStatus;
import org.jspecify.annotations.Nullable;

/**
 * A live worker as it was seen at one moment.
 *
 * @param id its id
 * @param info what it is, or {@code null} if it has not reported that yet
 * @param lastBeat its last sign of life
 * @param leaseUntil until when it counts as alive
 * @param running how many jobs it holds
 */
public record WorkerView(String id, @Nullable WorkerInfo info, Instant lastBeat, Instant leaseUntil,
		long running) implements WorkerStatus {

}
