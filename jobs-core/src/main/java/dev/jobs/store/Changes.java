package dev.jobs.store;

/**
 * What a store does for each kind of {@link Change}. A store that has nothing for a kind
 * does not compile.
 *
 * @param <R> what a change results in
 */
public interface Changes<R> {

	/**
	 * Cancel a job.
	 * @param cancel the change
	 * @return what came of it
	 */
	R cancel(Change.Cancel cancel);

	/**
	 * Delete a job.
	 * @param delete the change
	 * @return what came of it
	 */
	R delete(Change.Delete delete);

	/**
	 * Reschedule a job.
	 * @param reschedule the change
	 * @return what came of it
	 */
	R reschedule(Change.Reschedule reschedule);

	/**
	 * Retry a job.
	 * @param retry the change
	 * @return what came of it
	 */
	R retry(Change.Retry retry);

	/**
	 * Pause a queue.
	 * @param pause the change
	 * @return what came of it
	 */
	R pause(Change.Pause pause);

	/**
	 * Resume a queue.
	 * @param resume the change
	 * @return what came of it
	 */
	R resume(Change.Resume resume);

	/**
	 * Limit a queue.
	 * @param limit the change
	 * @return what came of it
	 */
	R limit(Change.Limit limit);

	/**
	 * Forget a queue.
	 * @param forget the change
	 * @return what came of it
	 */
	R forget(Change.Forget forget);

	/**
	 * Pause a schedule.
	 * @param pauseSchedule the change
	 * @return what came of it
	 */
	R pauseSchedule(Change.PauseSchedule pauseSchedule);

	/**
	 * Resume a schedule.
	 * @param resumeSchedule the change
	 * @return what came of it
	 */
	R resumeSchedule(Change.ResumeSchedule resumeSchedule);

	/**
	 * Purge the namespace.
	 * @param purge the change
	 * @return what came of it
	 */
	R purge(Change.Purge purge);

}
