package dev.jobs.store;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import dev.jobs.Job;
import dev.jobs.JobFilter;

/**
 * Everything a person may see. It only reads, never fails for a job that cannot be
 * decoded, and never decodes a payload.
 */
public interface JobInspector {

	/**
	 * Return all queues, sorted by name.
	 * @param now the present
	 * @return the queues
	 */
	List<QueueView> queues(Instant now);

	/**
	 * Return the workers whose lease has not run out, sorted by id.
	 * @param now the present
	 * @return the workers
	 */
	List<WorkerView> workers(Instant now);

	/**
	 * Return the schedules, sorted by name.
	 * @return the schedules
	 */
	List<ScheduleView> schedules();

	/**
	 * Look a job up.
	 * @param id its id
	 * @param now the present
	 * @return the job, or empty if there is none
	 */
	Optional<Job> job(String id, Instant now);

	/**
	 * Return some of the jobs that a filter selects, ordered by the time they entered
	 * their state (for waiting ones: by when they are due), then by id. The filter's text
	 * is looked for in the id, the errors of the attempts, the message of the end, and
	 * the payload read as UTF-8 with whatever is no such text replaced; its
	 * {@code retrying} is whether the next attempt, or the last one, is not the first.
	 * @param filter the filter
	 * @param range which of them
	 * @param now the present
	 * @return the jobs and how many there are in all
	 */
	Page page(JobFilter filter, Range range, Instant now);

	/**
	 * Tell what the store is, without asking it.
	 * @return the store
	 */
	default StoreView store() {
		return new StoreView("unknown", "unknown", Map.of());
	}

	/**
	 * Which part of a selection is wanted.
	 *
	 * @param offset how many to pass over
	 * @param size how many to return at most
	 * @param newestFirst whether the latest come first
	 */
	record Range(long offset, int size, boolean newestFirst) {

		public Range {
			if (offset < 0 || size < 0) {
				throw new IllegalArgumentException("'offset' and 'size' must not be negative");
			}
		}

		/**
		 * Return a page of the earliest first.
		 * @param number the page, from 1; anything less is taken as 1
		 * @param size how many jobs a page holds
		 * @return the range
		 */
		public static Range page(int number, int size) {
			return new Range((Math.max(number, 1) - 1L) * size, size, false);
		}

	}

	/**
	 * A part of a selection.
	 *
	 * @param jobs the jobs
	 * @param total how many there are in all
	 */
	record Page(List<Job> jobs, long total) {

	}

}
