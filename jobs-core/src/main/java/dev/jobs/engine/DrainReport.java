package dev.jobs.engine;

/**
 * The jobs left after a drain.
 *
 * @param ready jobs that wait although they are due
 * @param running jobs that run
 */
public record DrainReport(long ready, long running) {

	/**
	 * Return whether nothing is left.
	 */
	public boolean isComplete() {
		return this.ready == 0 && this.running == 0;
	}

}
