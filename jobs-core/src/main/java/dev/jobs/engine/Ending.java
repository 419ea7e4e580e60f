package dev.jobs.engine;

import java.time.Duration;
import java.util.function.Supplier;

import dev.jobs.JobEvent;
import dev.jobs.store.Transition;
import org.jspecify.annotations.Nullable;

/**
 * What is to be written about a job whose delivery ended, and what is to be told once it
 * is written.
 *
 * @param transition what to write
 * @param event what to tell when it is written, or {@code null} for nothing
 * @param lost what to tell when the job was not held any more, or {@code null} for
 * nothing
 * @param before how the job has ended before if that is what turns out, or {@code null}
 * if that is the same as not being held any more
 * @param fate how it is counted, or {@code null} if it is not
 * @param took how long the run took
 */
record Ending(Transition transition, @Nullable Supplier<JobEvent> event, @Nullable Supplier<JobEvent> lost,
		@Nullable Ending before, @Nullable Fate fate, Duration took) {

	/**
	 * Return an ending that nobody is told of.
	 * @param transition what to write
	 * @return the ending
	 */
	static Ending silent(Transition transition) {
		return new Ending(transition, null, null, null, null, Duration.ZERO);
	}

	/**
	 * Return this ending for a job that has perhaps ended otherwise already.
	 * @param other how
	 * @return the ending
	 */
	Ending unless(Ending other) {
		return new Ending(this.transition, this.event, this.lost, other, this.fate, this.took);
	}

	/**
	 * How a delivery is counted, in the order of a {@link dev.jobs.store.Tally}.
	 */
	enum Fate {

		SUCCEEDED, RETRIED, DEAD

	}

}
