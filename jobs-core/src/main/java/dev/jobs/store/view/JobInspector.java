package dev.jobs.store.view;

import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;

import dev.jobs.Deaths;
import dev.jobs.Job;
import dev.jobs.JobCount;
import dev.jobs.JobFilter;
import dev.jobs.JobPage;
import dev.jobs.JobState;
import dev.jobs.Note;
import dev.jobs.PageRequest;
import dev.jobs.store.support.ListedJob;
import dev.jobs.store.support.StoreFault;
import org.jspecify.annotations.Nullable;

/**
 * Everything an operator may see. It only reads, never fails for a job that cannot be
 * decoded, and never decodes a payload. Operators must not slow down workers: the memory
 * of a call is bounded in bytes, and a call that takes too long ends with a
 * {@link dev.jobs.JobStoreException} that gives this reason.
 */
public interface JobInspector {

	/**
	 * Return all queues, sorted by name.
	 * @param now the current time
	 */
	List<QueueView> queues(Instant now);

	/**
	 * Return one queue, without counting the jobs of others.
	 * @param name its name
	 * @param now the current time
	 * @return the queue, or empty if it is not among {@link #queues}
	 */
	Optional<QueueView> queue(String name, Instant now);

	/**
	 * Return lanes of a queue that have ready jobs, sorted by name. Counting is bounded;
	 * the work grows with the limit, and a little with the number of running jobs.
	 * @param queue the queue
	 * @param after the name behind which to begin; empty for the first
	 * @param limit how many lanes to return at most, up to {@value #LANES_AT_ONCE}
	 * @param now the current time
	 * @return the lanes, without settings; fewer than the limit only if there are no more
	 */
	List<LaneView> lanes(String queue, String after, int limit, Instant now);

	/**
	 * Return one lane of a queue, whether it has jobs or not.
	 * @param queue the queue
	 * @param lane the name of the lane
	 * @param now the current time
	 * @return the lane, without settings
	 */
	LaneView lane(String queue, String lane, Instant now);

	/**
	 * Return what operators have set for lanes of a queue.
	 * @param queue the queue
	 * @return the settings by the name of the lane, sorted
	 */
	SortedMap<String, LaneSettingsView> laneSettings(String queue);

	/**
	 * Return what a job has saved.
	 * @param queue the queue of the job
	 * @param job its id
	 * @return the values, sorted by when they were saved, then by name
	 */
	List<SavedView> saved(String queue, String job);

	/**
	 * Return how jobs have ended, or where they are. For a job that is stored its state
	 * decides; what it returned is known only if its end is kept.
	 * @param jobs their ids, up to {@value #ENDS_AT_ONCE}
	 * @param now the current time
	 * @return by their ids; no entry for a job that is not stored and whose end is not
	 * kept any more
	 */
	Map<String, EndView> ends(Collection<String> jobs, Instant now);

	/**
	 * Return what keeps the jobs of a queue, or of one of its lanes, from starting.
	 * @param queue the queue
	 * @param lane the lane; empty for the whole queue
	 * @param now the current time
	 */
	GateView gate(String queue, String lane, Instant now);

	/**
	 * Return the workers whose lease has not run out, sorted by id.
	 * @param now the current time
	 */
	List<WorkerView> workers(Instant now);

	/**
	 * Return the schedules, sorted by name.
	 */
	List<ScheduleView> schedules();

	/**
	 * Return one schedule, without reading all.
	 * @param name its name
	 * @return the schedule, or empty if it is not among {@link #schedules}
	 */
	Optional<ScheduleView> schedule(String name);

	/**
	 * Return the schedules put at run time that are due to be looked at. The work grows
	 * with the limit, not with the number of schedules. The answer has fewer if their
	 * specs are long.
	 * @param now the current time
	 * @param after the place to begin after, or {@code null} for the first
	 * @param limit how many to return at most
	 */
	DueSchedules dueSchedules(Instant now, DueSchedules.@Nullable Place after, int limit);

	/**
	 * Look a job up, with its payload.
	 * @param id its id
	 * @param now the current time
	 * @return the job, or empty if none
	 */
	Optional<Job> job(String id, Instant now);

	/**
	 * Return a page of the jobs that a filter selects.
	 * <p>
	 * <b>Order.</b> Jobs in the ready lists come first, queue by queue in the order of
	 * names, as they will run. All others follow, those whose time has just come
	 * included: by the time they entered their state or, while they wait, are due, then
	 * by id. Newest first is the reverse order. Jobs selected by a tag come in the order
	 * of their ids instead, which within a queue is the order of the enqueues; jobs
	 * selected by a key come by time.
	 * <p>
	 * <b>Following the cursors</b> visits every job that stays in the selection exactly
	 * once, no matter which jobs come or leave meanwhile. A job that changes state
	 * meanwhile is visited once or not at all, and again only if it has moved to a part
	 * of the list that is still to come, such as one that ran and waits for a retry. Jobs
	 * that are enqueued meanwhile are visited if they belong behind the cursor. No cursor
	 * expires; one of another filter or order is refused.
	 * <p>
	 * <b>No payloads.</b> The jobs are {@linkplain Job#isListed() those of a list}: they
	 * have the exact size and at most {@value Job#LONGEST_PREVIEW} bytes of their
	 * payload, and no more of it leaves the store unless the filter has a text.
	 * <p>
	 * <b>Work is bounded.</b> A search without an index, above all for text, reads at
	 * most {@value #LOOKED_THROUGH} jobs for a page, and a search for text at most
	 * {@value #BYTES_LOOKED_THROUGH} bytes of payloads, or one larger payload. The page
	 * then has fewer jobs than the limit, or no jobs, and a cursor that continues.
	 * <p>
	 * The filter's text is compared with the id, the errors of the attempts, the message
	 * of the end, and the payload read as UTF-8 with invalid bytes replaced. Its
	 * {@code retrying} selects by whether the number of the attempt is above 1, and its
	 * key selects the jobs that own the key now.
	 * @param filter the filter
	 * @param request how many jobs, in which order, after which cursor
	 * @param now the time
	 * @throws IllegalArgumentException if the cursor does not belong to this list
	 */
	JobPage page(JobFilter filter, PageRequest request, Instant now);

	/**
	 * Count the jobs that a filter selects, up to a bound. A search without an index
	 * reads at most as much as for a page; the count is then a lower bound.
	 * @param filter the filter
	 * @param bound up to which number the count is exact, from 1
	 * @param now the time
	 */
	JobCount count(JobFilter filter, int bound, Instant now);

	/**
	 * Return what happened in the past, as far as workers have reported it and it is
	 * still kept: minutes for three hours, tens of minutes for two days. Enqueues of
	 * processes that do not beat are not included.
	 * @param queues the queues wanted; all if empty
	 * @param period the time wanted
	 * @return a tally for each queue and step in which something happened, sorted by
	 * queue, then by time
	 */
	List<Tally> statistics(Set<String> queues, Period period);

	/**
	 * Return the notes that are kept, the latest first, those of the same millisecond in
	 * any order.
	 */
	List<Note> notes();

	/**
	 * Return what operators have set for workers, sorted by kind and name.
	 */
	List<OperatorSetting> operatorSettings();

	/**
	 * Return the {@value Deaths#MOST_LOOKED_AT} jobs that died last, grouped by cause.
	 * @param filter selects dead jobs; its states are ignored
	 * @param now the current time
	 */
	default Deaths deaths(JobFilter filter, Instant now) {
		JobFilter dead = filter.with((jobs) -> jobs.states(JobState.DEAD));
		return Deaths.of(PageRequest.newestFirst(DEAD_AT_ONCE), (request) -> page(dead, request, now), ListedJob::bare);
	}

	/** Of how many jobs the ends are returned at once at most. */
	int ENDS_AT_ONCE = 1000;

	/** How many lanes are returned at once at most. */
	int LANES_AT_ONCE = 1000;

	/** The most jobs that a page reads for a search without an index. */
	int LOOKED_THROUGH = 4_000;

	/**
	 * The most bytes of payloads that a page reads to find a text, unless one payload is
	 * larger.
	 */
	int BYTES_LOOKED_THROUGH = 16 << 20;

	/** How many dead jobs are in memory at once, with their stacks. */
	int DEAD_AT_ONCE = 100;

	/**
	 * Describe the store, without calling it.
	 */
	StoreView store();

	/**
	 * Find faults that an operator must correct.
	 * @return the faults, usually empty
	 */
	List<StoreFault> faults();

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
		 */
		public Tally.Span span() {
			return (this.step.toMinutes() % 10 == 0) ? Tally.Span.TEN_MINUTES : Tally.Span.MINUTE;
		}

		/**
		 * Return the start of the step that contains an instant.
		 */
		public Instant stepOf(Instant instant) {
			return Tally.Span.floor(instant, this.step);
		}

	}

}
