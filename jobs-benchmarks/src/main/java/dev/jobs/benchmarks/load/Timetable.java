package dev.jobs.benchmarks.load;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;

/**
 * When each job is due and when it started, by the clock on the wall.
 */
public final class Timetable {

	private static final Duration LEAD = Duration.ofMillis(300);

	private static final InstantSource CLOCK = InstantSource.system();

	private final Instant begin = CLOCK.instant().plus(LEAD);

	private final long stepNanos;

	private final long[] lateNanos;

	private final Arrivals arrivals;

	public Timetable(int jobs, Duration time) {
		this.stepNanos = time.toNanos() / jobs;
		this.lateNanos = new long[jobs];
		this.arrivals = new Arrivals(jobs);
	}

	public Instant dueAt(int job) {
		return this.begin.plusNanos(job * this.stepNanos);
	}

	public long nanosUntil(int job) {
		return Duration.between(CLOCK.instant(), dueAt(job)).toNanos();
	}

	public void started(int job) {
		this.lateNanos[job] = Duration.between(dueAt(job), CLOCK.instant()).toNanos();
		this.arrivals.arrived();
	}

	public long[] awaitLateness() {
		this.arrivals.awaitAll();
		return this.lateNanos;
	}

}
