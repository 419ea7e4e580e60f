package dev.jobs.store;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;

import dev.jobs.Deaths;
import dev.jobs.Job;
import dev.jobs.JobFilter;
import dev.jobs.JobPage;
import dev.jobs.JobState;

/**
 * Everything an operator may see. It only reads, never fails for a job that cannot be
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
	 * their state (for waiting ones: by when they are due), then by id. Ready jobs may
	 * come in the order in which their queue gives them out instead.
	 * <p>
	 * The filter's text is looked for in the id, the errors of the attempts, the message
	 * of the end, and the payload read as UTF-8 with whatever is no such text replaced;
	 * its {@code retrying} is whether the next attempt, or the last one, is not the
	 * first; its key is that of the jobs which own it at present, found by what knows the
	 * owners. What a store has no index for, text and tags above all, it looks for in no
	 * more than {@value #LOOKED_THROUGH} jobs of those that the rest of the filter
	 * selects; the page is then not {@linkplain Page#complete() complete}, and tells from
	 * where to {@linkplain Range#goingOnAt go on}, which leads to the end. As long as
	 * nothing changes, the pages of a selection part it: each job is on one of them.
	 * @param filter the filter
	 * @param range which of them
	 * @param now the present
	 * @return the jobs and how many there are in all
	 */
	Page page(JobFilter filter, Range range, Instant now);

	/**
	 * Return what happened in the past, as far as workers have reported it and it is
	 * still kept: minutes for three hours, tens of minutes for two days. What was
	 * enqueued by processes that do not beat is not in it.
	 * @param queues the queues wanted; all if empty
	 * @param period the time wanted
	 * @return a tally for each queue and step in which something happened, sorted by
	 * queue, then by time
	 */
	List<Tally> history(Set<String> queues, Period period);

	/**
	 * Return the {@value #DEAD_LOOKED_THROUGH} jobs that died last, grouped by what they
	 * died of.
	 * @param filter selects dead jobs; its states are not asked
	 * @param now the present
	 * @return the groups
	 */
	default Deaths deaths(JobFilter filter, Instant now) {
		Page page = page(filter.states(Set.of(JobState.DEAD)), new Range(0, DEAD_LOOKED_THROUGH, true), now);
		return Deaths.of(page.jobs(), page.complete() && page.total() <= page.jobs().size());
	}

	/** How many jobs are looked through for what there is no index for. */
	int LOOKED_THROUGH = 10_000;

	/** How many dead jobs, with all of their errors, are grouped. */
	int DEAD_LOOKED_THROUGH = Deaths.MOST_LOOKED_AT;

	/**
	 * Describe the store, without asking it.
	 * @return the store
	 */
	StoreView store();

	/**
	 * Look for what an operator must set right.
	 * @return what was found, mostly nothing
	 */
	List<StoreFault> faults();

	/**
	 * Which part of a selection is wanted.
	 *
	 * @param offset how many to pass over
	 * @param size how many to return at most
	 * @param newestFirst whether the latest come first
	 * @param searched how many jobs at the front have been looked through before and are
	 * left out; 0 to begin
	 */
	record Range(long offset, int size, boolean newestFirst, long searched) {

		public Range

		{
			if (offset < 0 || size < 0 || searched < 0) {
				throw new IllegalArgumentException("'offset', 'size' and 'searched' must not be negative");
			}
		}

		/**
		 * Create a range that begins at the front.
		 * @param offset how many to pass over
		 * @param size how many to return at most
		 * @param newestFirst whether the latest come first
		 */
		public Range(long offset, int size, boolean newestFirst) {
			this(offset, size, newestFirst, 0);
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

		/**
		 * Return the range that goes on where a page that is not complete has ended.
		 * @param page the page
		 * @return the first jobs behind it
		 */
		public Range goingOnAt(Page page) {
			return new Range(0, this.size, this.newestFirst, page.searched());
		}

	}

	/**
	 * A part of a selection.
	 *
	 * @param jobs the jobs
	 * @param total how many there are in all; if the page is not complete, how many are
	 * known of
	 * @param complete whether there are no more than the total
	 * @param searched how many jobs have been looked through at the front of what an
	 * index selects, those that the range left out included; the total if nothing had to
	 * be looked through
	 */
	record Page(List<Job> jobs, long total, boolean complete, long searched) implements JobPage {

		/**
		 * Create a page of a selection that is wholly known.
		 * @param jobs the jobs
		 * @param total how many there are in all
		 */
		public Page(List<Job> jobs, long total) {
			this(jobs, total, true, total);
		}

	}

	/**
	 * A time in the past, cut into steps that begin at whole multiples of their length.
	 *
	 * @param from when the first step begins; rounded down
	 * @param to when the last step has ended; rounded up
	 * @param step how long a step is, whole minutes; only whole tens of minutes reach
	 * farther back than three hours
	 */
	record Period(Instant from, Instant to, Duration step) {

		public Period

		{
			if (step.compareTo(Duration.ofMinutes(1)) < 0 || !Duration.ofMinutes(step.toMinutes()).equals(step)) {
				throw new IllegalArgumentException("'step' must be whole minutes but was " + step);
			}
			from = Tally.Span.floor(from, step);
			Instant last = Tally.Span.floor(to, step);
			to = last.isBefore(to) ? last.plus(step) : last;
		}

		/**
		 * Return the length of the kept spans that the steps are made of.
		 * @return the length
		 */
		public Tally.Span span() {
			return (this.step.toMinutes() % 10 == 0) ? Tally.Span.TEN_MINUTES : Tally.Span.MINUTE;
		}

		/**
		 * Return when the step began that an instant is in.
		 * @param instant the instant
		 * @return its start
		 */
		public Instant stepOf(Instant instant) {
			return Tally.Span.floor(instant, this.step);
		}

	}

}
