package dev.jobs.store.view;

import java.time.Instant;

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
