package dev.jobs.engine.settle;

import dev.jobs.Trail;
import dev.jobs.Trail.Attempt;
import dev.jobs.Trail.Wait;
import dev.jobs.store.support.TrailBuilder;

/**
 * The rules by which attempts are counted.
 */
public final class TrailRules {

	private TrailRules() {
	}

	/**
	 * Return the trail after an attempt that failed.
	 */
	public static Trail failed(Trail trail, Attempt attempt) {
		return TrailBuilder.of(trail)
			.failures(trail.failures() + 1)
			.suspect(false)
			.attempt(attempt)
			.waitsFor(null)
			.end(null)
			.build();
	}

	/**
	 * Return the trail after a delivery that may have started and whose worker vanished.
	 * Most jobs that a dead process held are innocent, so the first abandonment costs
	 * nothing, the second makes a job a suspect, and only the abandonment of a suspect
	 * counts as a crash.
	 */
	public static Trail abandoned(Trail trail, Attempt attempt) {
		return TrailBuilder.of(trail)
			.abandonments(trail.abandonments() + 1)
			.crashes(trail.suspect() ? trail.crashes() + 1 : trail.crashes())
			.suspect(trail.watched())
			.attempt(attempt)
			.waitsFor(null)
			.end(null)
			.build();
	}

	/**
	 * Return the trail after the last attempt of a job that is kept as history; it has no
	 * error.
	 */
	public static Trail finished(Trail trail, Attempt attempt) {
		return TrailBuilder.of(trail).suspect(false).attempt(attempt).waitsFor(null).build();
	}

	/**
	 * Return the trail after the handler put the job off.
	 */
	public static Trail postponed(Trail trail) {
		return TrailBuilder.of(trail)
			.suspect(false)
			.postponements(trail.postponements() + 1)
			.waitsFor(null)
			.end(null)
			.build();
	}

	/**
	 * Return the trail after a run that ended because its job waits for something.
	 */
	public static Trail parked(Trail trail, Wait wait) {
		return TrailBuilder.of(postponed(trail)).waitsFor(wait).build();
	}

}
