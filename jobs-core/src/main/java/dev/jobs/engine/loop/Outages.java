package dev.jobs.engine.loop;

import java.time.Duration;
import java.util.Objects;

import org.jspecify.annotations.Nullable;

import org.springframework.core.NestedExceptionUtils;

/**
 * What loops have logged about a store that is out of reach. All loops of a worker notice
 * that, but it is logged once.
 */
public final class Outages {

	static final Duration INTERVAL = Duration.ofSeconds(30);

	private @Nullable String cause;

	private long loggedAtNanos;

	/**
	 * Record a fault.
	 * @param fault what was thrown
	 * @param nanos when, by a counter of nanoseconds
	 * @return whether to log it; not if another loop has logged one of the same cause
	 * within the interval
	 */
	synchronized boolean isNew(Throwable fault, long nanos) {
		String cause = String.valueOf(NestedExceptionUtils.getMostSpecificCause(fault).getMessage());
		if (Objects.equals(this.cause, cause) && nanos - this.loggedAtNanos < INTERVAL.toNanos()) {
			return false;
		}
		this.cause = cause;
		this.loggedAtNanos = nanos;
		return true;
	}

}
