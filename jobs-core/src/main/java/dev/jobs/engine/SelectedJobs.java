package dev.jobs.engine;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;

import dev.jobs.Deaths;
import dev.jobs.Job;
import dev.jobs.JobCount;
import dev.jobs.JobFilter;
import dev.jobs.JobPage;
import dev.jobs.JobState;
import dev.jobs.PageRequest;
import dev.jobs.Urgency;
import dev.jobs.operations.SelectionOperations;
import dev.jobs.store.Change;
import dev.jobs.store.Changed;
import dev.jobs.store.JobStore;
import dev.jobs.store.support.Refusals;
import dev.jobs.text.ErrorText;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The jobs of the store that a filter selects.
 *
 * @param filter the filter
 * @param stored reads and changes them
 */
record SelectedJobs(JobFilter filter, StoredJobs stored) implements SelectionOperations {

	private static final Logger logger = LoggerFactory.getLogger(SelectedJobs.class);

	private static final int CHUNK = 500;

	private static final Set<JobState> LIVE = EnumSet.of(JobState.SCHEDULED, JobState.READY, JobState.RUNNING);

	private static final Set<JobState> STORED = EnumSet.complementOf(EnumSet.of(JobState.WAITING));

	@Override
	public JobPage page(PageRequest request) {
		return LatestFirst.isWanted(this.filter, request) ? new LatestFirst(this.filter, this.stored).page(request)
				: this.stored.page(this.filter, request);
	}

	@Override
	public JobCount count(int bound) {
		return this.stored.inspector().count(this.filter, bound, this.stored.now());
	}

	@Override
	public Deaths deaths() {
		return this.stored.inspector().deaths(this.filter, this.stored.now());
	}

	@Override
	public int retry(Consumer<String> changed) {
		require("retried", Set.of(JobState.DEAD));
		Instant begin = this.stored.now();
		return changeAll(in(Set.of(JobState.DEAD)),
				(job) -> job.trail().end() == null || !job.trail().end().at().isAfter(begin), Change.Retry::new,
				changed);
	}

	/**
	 * Cancel until a whole pass finds nothing more to cancel: a job that changes state
	 * may move to a part of the list that was read already.
	 */
	@Override
	public int cancel(Consumer<String> changed) {
		require("cancelled", LIVE);
		JobFilter live = this.filter.getStates().isEmpty() ? in(LIVE) : this.filter;
		Instant begin = this.stored.now();
		int cancelled = 0;
		int last;
		do {
			last = changeAll(live, (job) -> !job.createdAt().isAfter(begin) && !isAskedToEnd(job), Change.Cancel::new,
					changed);
			cancelled += last;
		}
		while (last > 0);
		return cancelled;
	}

	@Override
	public int delete(Consumer<String> changed) {
		if (this.filter.getStates().isEmpty()) {
			throw new IllegalArgumentException(
					"To delete jobs, name their states: add states(JobState.DEAD) to the filter, or others");
		}
		require("deleted", EnumSet.complementOf(EnumSet.of(JobState.WAITING, JobState.RUNNING)));
		Instant begin = this.stored.now();
		return changeAll(this.filter, (job) -> !job.createdAt().isAfter(begin), Change.Delete::new, changed);
	}

	private void require(String what, Set<JobState> possible) {
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
				|| (before != null && !before.isAfter(this.stored.now()))
				|| (!this.filter.getStates().isEmpty() && !this.filter.getStates().containsAll(STORED));
	}

	private JobFilter in(Set<JobState> states) {
		return this.filter.with((jobs) -> jobs.states(states));
	}

	private static boolean isAskedToEnd(Job job) {
		return job.run() != null && job.run().cancelRequested();
	}

	/**
	 * Change all selected jobs, page by page.
	 */
	private int changeAll(JobFilter selected, Predicate<Job> wanted, Function<String, Change> change,
			Consumer<String> report) {
		JobStore store = this.stored.store();
		PageRequest request = PageRequest.oldestFirst(CHUNK);
		int changed = 0;
		@Nullable String cursor = null;
		do {
			JobPage page = store.inspector().page(selected, request.after(cursor), this.stored.now());
			List<Job> jobs = page.jobs().stream().filter(wanted).toList();
			List<String> done = new ArrayList<>();
			Refusals.divide(jobs, (part) -> {
				List<Changed> replies = store.change(part.stream().map((job) -> change.apply(job.id())).toList(),
						this.stored.now());
				for (int i = 0; i < part.size(); i++) {
					if (replies.get(i) == Changed.DONE) {
						done.add(part.get(i).id());
					}
				}
			}, (job, fault) -> logger.warn("The store refuses to change job '{}' {}: {}", job.name(), job.id(),
					ErrorText.of(fault)));
			done.forEach(report);
			changed += done.size();
			cursor = page.next();
		}
		while (cursor != null);
		return changed;
	}

}
