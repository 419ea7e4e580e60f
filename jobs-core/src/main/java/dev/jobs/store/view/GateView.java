package dev.jobs.store.view;

import java.time.Instant;
import java.util.List;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

/**
 * What keeps the jobs of a queue, or of a lane, from starting for a time.
 *
 * @param heldUntil until when a handler has held it back, or {@code null}
 * @param permitAt when its rate gives the next permit, as of its last start, or
 * {@code null}
 */
public record GateView(@Nullable Instant heldUntil, @Nullable Instant permitAt) {

	/** Nothing keeps them. */
	public static final GateView OPEN = new GateView(null, null);

	/**
	 * Create a view.
	 * @param heldUntil until when it is held back, in milliseconds
	 * @param permitAt when its rate gives the next permit, in milliseconds
	 * @param now the current time, after which times count
	 */
	public static GateView of(long heldUntil, long permitAt, Instant now) {
		return new GateView(after(now, heldUntil), after(now, permitAt));
	}

	/**
	 * Return what counts among live workers: a hold always, and a permit only if one of
	 * them has a rate, since the time of the next permit outlives a rate that is removed.
	 * @param queue the queue
	 * @param lane the lane; empty for the whole queue
	 * @param workers returns the live workers, and is called only if that matters
	 */
	GateView among(String queue, String lane, Supplier<List<WorkerView>> workers) {
		return (this.permitAt == null || workers.get().stream().anyMatch((worker) -> {
			WorkerInfo.Limit limit = (worker.info() != null) ? worker.info().limit(queue) : null;
			return limit != null && (lane.isEmpty() ? !limit.rate().isEmpty() : limit.lanesRated());
		})) ? this : new GateView(this.heldUntil, null);
	}

	/**
	 * Return when a job may start, or {@code null} for now.
	 */
	@Nullable Instant opensAt() {
		Instant held = this.heldUntil;
		Instant permit = this.permitAt;
		return (held == null || (permit != null && permit.isAfter(held))) ? permit : held;
	}

	private static @Nullable Instant after(Instant now, long millis) {
		return (millis > now.toEpochMilli()) ? Instant.ofEpochMilli(millis) : null;
	}

}
