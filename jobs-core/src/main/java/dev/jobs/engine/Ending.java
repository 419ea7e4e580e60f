package dev.jobs.engine;

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
 * @param before what to tell when the job turns out to have ended before, or {@code null}
 * if that is the same as not being held any more
 */
record Ending(Transition transition, @Nullable Supplier<JobEvent> event, @Nullable Supplier<JobEvent> lost,
		@Nullable Supplier<JobEvent> before) {

	Ending(Transition transition, @Nullable Supplier<JobEvent> event, @Nullable Supplier<JobEvent> lost) {
		this(transition, event, lost, null);
	}

	/**
	 * Return an ending that nobody is told of.
	 * @param transition what to write
	 * @return the ending
	 */
	static Ending silent(Transition transition) {
		return new Ending(transition, null, null);
	}

	/**
	 * Return this ending for a job that has perhaps ended otherwise already.
	 * @param other how
	 * @return the ending
	 */
	Ending unless(Ending other) {
		return new Ending(this.transition, this.event, this.lost, other.event());
	}

}
