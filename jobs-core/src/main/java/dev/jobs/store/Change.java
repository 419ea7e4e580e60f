package dev.jobs.store;

import java.time.Instant;

/**
 * Something a person changes.
 */
public sealed interface Change {

	/**
	 * End a job. One that waits is removed; for one that runs, the wish is noted, again
	 * if need be, and its worker told. Other states are refused.
	 *
	 * @param id the job
	 */
	record Cancel(String id) implements Change {

	}

	/**
	 * Remove a job and free its unique key. A running one is refused.
	 *
	 * @param id the job
	 */
	record Delete(String id) implements Change {

	}

	/**
	 * Move the due time of a job that waits; other states are refused. A ready job that
	 * stays ready keeps its place.
	 *
	 * @param id the job
	 * @param dueAt the new due time; one that is not after the present makes it ready
	 */
	record Reschedule(String id, Instant dueAt) implements Change {

	}

	/**
	 * Make a dead job ready again, with its {@linkplain dev.jobs.Trail#retried() trail
	 * started anew}, or a scheduled one due now. It takes its unique key again, save for
	 * the mode {@code UNTIL_STARTED} and for a key whose time is over; if another job
	 * holds the key, the retry is refused. A ready job stays as it is and answers
	 * {@link Changed#DONE}; other states are refused.
	 *
	 * @param id the job
	 */
	record Retry(String id) implements Change {

	}

	/**
	 * Stop handing out jobs of a queue, whether it exists yet or not; from then on it
	 * does, until it is forgotten.
	 *
	 * @param queue the queue
	 */
	record Pause(String queue) implements Change {

	}

	/**
	 * Hand out jobs of a queue again. An unknown one is not found.
	 *
	 * @param queue the queue
	 */
	record Resume(String queue) implements Change {

	}

	/**
	 * Set a queue's running limit, which then replaces that of the workers. As with
	 * {@link Pause}, the queue need not exist. A limit below -1 is refused.
	 *
	 * @param queue the queue
	 * @param maxRunning the limit; 0 for none; -1 to go by the workers again
	 */
	record Limit(String queue, int maxRunning) implements Change {

	}

	/**
	 * Forget a queue that holds no job at all, with its pause and limit; refused while it
	 * holds one.
	 *
	 * @param queue the queue
	 */
	record Forget(String queue) implements Change {

	}

	/**
	 * Fire no ticks of a schedule, whether it is known yet or not. It stays so until it
	 * is resumed, even if the schedule is forgotten meanwhile.
	 *
	 * @param schedule the schedule
	 */
	record PauseSchedule(String schedule) implements Change {

	}

	/**
	 * Fire the ticks of a paused schedule again, beginning with the first one after the
	 * present. One that is not paused is not found.
	 *
	 * @param schedule the schedule
	 */
	record ResumeSchedule(String schedule) implements Change {

	}

	/** Remove everything the namespace holds except the registrations of live workers. */
	record Purge() implements Change {

	}

}
