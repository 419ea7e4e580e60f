package dev.jobs;

import org.jspecify.annotations.Nullable;

/**
 * How far a job has got, kept from one run to the next. The latest position wins. It is
 * saved at most once a second while the job runs, and at each step, and when the run ends
 * otherwise than by success; so a run that was killed begins again up to a second before.
 *
 * @param <T> the type of a position
 */
public interface Cursor<T extends @Nullable Object> {

	/**
	 * Return the position.
	 * @return the latest one, or the first if the job has not moved
	 */
	T get();

	/**
	 * Move on. This is to follow the work that it stands for, since that is not done
	 * again.
	 * @param position the position, which must not be changed afterwards
	 */
	void moveTo(T position);

}
