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
 */
record Ending(Transition transition, @Nullable Supplier<JobEvent> event, @Nullable Supplier<JobEvent> lost) {

	/**
	 * Return an ending that nobody is told of.
	 * @param transition what to write
	 * @return the ending
	 */
	static Ending silent(Transition transition) {
		return new Ending(transition, null, null);
	}

}
