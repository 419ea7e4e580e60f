package dev.jobs;

import java.util.List;

/**
 * A part of the jobs that a filter selects.
 */
public interface JobPage {

	/**
	 * Return the jobs.
	 * @return the jobs
	 */
	List<Job> jobs();

	/**
	 * Return how many there are in all; if the page is not {@link #complete()}, how many
	 * are known of.
	 * @return the number
	 */
	long total();

	/**
	 * Return whether there are no more than the total.
	 * @return {@code true} if all are known
	 */
	boolean complete();

	/**
	 * Return how many jobs have been looked through at the front of what an index
	 * selects, to go on behind them.
	 * @return the number
	 */
	long searched();

}
