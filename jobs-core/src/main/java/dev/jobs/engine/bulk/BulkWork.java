package dev.jobs.engine.bulk;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

import dev.jobs.BulkStatus.Action;
import dev.jobs.Job;
import dev.jobs.JobFilter;
import dev.jobs.JobPage;
import dev.jobs.JobState;
import dev.jobs.Urgency;
import dev.jobs.PageRequest;
import dev.jobs.Trail;
import dev.jobs.engine.context.Millis;
import dev.jobs.store.Change;
import dev.jobs.store.Changed;
import dev.jobs.store.JobStore;
import dev.jobs.store.support.Refusals;
import org.jspecify.annotations.Nullable;

/**
 * What is done to which jobs. A job is wanted only if it existed when the work began and,
 * if it has ended, had ended by then. So jobs that come later, and jobs that die again
 * after a retry, are left alone.
 * <p>
 * A step may be repeated: a job that was changed is no longer in the selection, or
 * already is what the change asks for, and then it is not wanted.
 *
 * @param action what is done
 * @param filter selects the jobs
 * @param dueAt the new due time, or {@code null} unless they are rescheduled
 * @param toLane the new lane, or {@code null} for none or unless they are moved
 * @param begin when the work began
 */
public record BulkWork(Action action, JobFilter filter, @Nullable Instant dueAt, @Nullable String toLane,
		Instant begin) {

	private static final Set<JobState> ENDED = EnumSet.of(JobState.DEAD, JobState.SUCCEEDED, JobState.CANCELLED);

	/**
	 * Create work that begins now.
	 * @throws IllegalArgumentException if the filter does not select enough, or only jobs
	 * that cannot be changed so
	 */
	public static BulkWork of(Action action, JobFilter filter, Instant now) {
		return new BulkWork(action, filter, null, null, Millis.roundUp(now)).checked();
	}

	/**
	 * Create work that gives jobs another due time, as {@link #of} does.
	 */
	public static BulkWork reschedule(JobFilter filter, Instant dueAt, Instant now) {
		Objects.requireNonNull(dueAt, "'dueAt' must not be null");
		return new BulkWork(Action.RESCHEDULE, filter, Millis.roundUp(dueAt), null, Millis.roundUp(now)).checked();
	}

	/**
	 * Create work that gives jobs another lane or, with {@code null}, none, as
	 * {@link #of} does.
	 */
	public static BulkWork move(JobFilter filter, @Nullable String lane, Instant now) {
		return new BulkWork(Action.MOVE, filter, null, lane, Millis.roundUp(now)).checked();
	}

	private BulkWork checked() {
		if (this.action == Action.DELETE && this.filter.getStates().isEmpty()) {
			throw new IllegalArgumentException(
					"To delete jobs, name their states: add states(JobState.DEAD) to the filter, or others");
		}
		if (this.action == Action.MOVE) {
			change("");
		}

		String what = switch (this.action) {
			case RETRY -> "retried";
			case CANCEL -> "cancelled";
			case DELETE -> "deleted";
			case RESCHEDULE -> "rescheduled";
			case MOVE -> "moved";
		};
		Set<JobState> possible = possible();
		if (!selectsSome()) {
			throw new IllegalArgumentException("The filter excludes nothing, or next to nothing. Select the jobs to be "
					+ what + ", such as those of a name; for all of a state add states(JobState."
					+ possible.iterator().next() + ") to the filter");
		}
		Set<JobState> wanted = this.filter.getStates();
		if (!wanted.isEmpty() && Collections.disjoint(wanted, possible)) {
			throw new IllegalArgumentException("Only jobs that are %s can be %s, and the filter selects only %s"
				.formatted(new TreeSet<>(possible), what, new TreeSet<>(wanted)));
		}
		return this;
	}

	/**
	 * Return the states in which a job can be changed so.
	 */
	private Set<JobState> possible() {
		return switch (this.action) {
			case RETRY -> EnumSet.of(JobState.DEAD);
			case CANCEL -> EnumSet.of(JobState.WAITING, JobState.SCHEDULED, JobState.READY, JobState.RUNNING);
			case DELETE -> EnumSet.complementOf(EnumSet.of(JobState.RUNNING));
			case RESCHEDULE, MOVE -> EnumSet.of(JobState.SCHEDULED, JobState.READY);
		};
	}

	/**
	 * Return whether the filter is selective. All states, a time in the future or long
	 * ago, or only jobs that have not failed may still select every job.
	 */
	private boolean selectsSome() {
		Instant since = this.filter.getSince();
		Instant before = this.filter.getBefore();
		return this.filter.getName() != null || this.filter.getText() != null || this.filter.getTag() != null
				|| this.filter.getLane() != null || this.filter.getUniqueKey() != null
				|| (this.filter.getUrgency() != null && this.filter.getUrgency() != Urgency.NORMAL)
				|| Boolean.TRUE.equals(this.filter.getRetrying()) || (since != null && since.isAfter(Instant.EPOCH))
				|| (before != null && !before.isAfter(this.begin)) || (!this.filter.getStates().isEmpty()
						&& !this.filter.getStates().containsAll(EnumSet.allOf(JobState.class)));
	}

	/**
	 * Return the filter for the store. Of jobs that have ended it selects those that had
	 * ended by the beginning, so jobs that die meanwhile do not make the list longer.
	 */
	public JobFilter selected() {
		Set<JobState> states = EnumSet.copyOf(possible());
		if (!this.filter.getStates().isEmpty()) {
			states.retainAll(this.filter.getStates());
		}
		return this.filter.with((jobs) -> {
			jobs.states(states);
			Instant end = this.begin.plusMillis(1);
			Instant before = this.filter.getBefore();
			if (ENDED.containsAll(states) && (before == null || before.isAfter(end))) {
				jobs.before(end);
			}
		});
	}

	/**
	 * Return whether the list is to be read again until nothing more is changed: a job
	 * that waits or runs may move to a part of the list that was read already.
	 */
	public boolean isRepeated() {
		return !ENDED.containsAll(selected().getStates());
	}

	/**
	 * Read the next jobs.
	 * @param cursor where to go on, or {@code null} for the beginning
	 * @param size how many to read at most
	 */
	public JobPage read(JobStore store, @Nullable String cursor, int size, Instant now) {
		return store.inspector().page(selected(), PageRequest.oldestFirst(size).after(cursor), now);
	}

	/**
	 * Change the jobs that are wanted.
	 * @param jobs jobs that were read
	 * @param changed is given the id of each changed job as soon as its change is stored
	 * @param refused is given each job that the store refuses to change, and why
	 * @return how many were changed, and how many had changed meanwhile
	 */
	public Counts change(JobStore store, List<Job> jobs, Instant now, Consumer<String> changed,
			BiConsumer<Job, RuntimeException> refused) {
		List<String> done = new ArrayList<>();
		List<Job> skipped = new ArrayList<>();
		Refusals.divide(jobs.stream().filter(this::wants).toList(), (part) -> {
			List<Changed> replies = store.change(part.stream().map((job) -> change(job.id())).toList(), now);
			for (int i = 0; i < part.size(); i++) {
				if (replies.get(i) == Changed.DONE) {
					done.add(part.get(i).id());
				}
				else {
					skipped.add(part.get(i));
				}
			}
		}, refused);
		done.forEach(changed);
		return new Counts(done.size(), skipped.size());
	}

	private Change change(String id) {
		return switch (this.action) {
			case RETRY -> new Change.Retry(id);
			case CANCEL -> new Change.Cancel(id);
			case DELETE -> new Change.Delete(id);
			case RESCHEDULE -> new Change.Reschedule(id, Objects.requireNonNull(this.dueAt));
			case MOVE -> Change.SetStanding.lane(id, this.toLane);
		};
	}

	private boolean wants(Job job) {
		if (job.createdAt().isAfter(this.begin) || (ENDED.contains(job.state()) && hasRunSinceBegin(job))) {
			return false;
		}
		return switch (this.action) {
			case RETRY, DELETE -> true;
			case MOVE -> !Objects.equals(job.lane(), this.toLane);
			case CANCEL -> job.run() == null || !job.run().cancelRequested();
			case RESCHEDULE -> !job.dueAt().equals(this.dueAt) && !hasRunSinceBegin(job)
					&& (job.state() == JobState.SCHEDULED || Objects.requireNonNull(this.dueAt).isAfter(this.begin));
		};
	}

	private boolean hasRunSinceBegin(Job job) {
		Trail.End end = job.trail().end();
		List<? extends Trail.Attempt> attempts = job.trail().attempts();
		return (end != null && end.at().isAfter(this.begin))
				|| (!attempts.isEmpty() && attempts.get(attempts.size() - 1).endedAt().isAfter(this.begin));
	}

	/**
	 * What became of some jobs.
	 *
	 * @param done how many were changed
	 * @param skipped how many could no longer be changed so
	 */
	public record Counts(int done, int skipped) {

	}

}
