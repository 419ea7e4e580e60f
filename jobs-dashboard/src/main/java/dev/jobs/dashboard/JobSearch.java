package dev.jobs.dashboard;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Predicate;

import dev.jobs.Deaths;
import dev.jobs.Job;
import dev.jobs.JobFilter;
import dev.jobs.JobOperations;
import dev.jobs.JobPage;
import dev.jobs.JobState;
import dev.jobs.PageRequest;
import dev.jobs.Trail;
import org.jspecify.annotations.Nullable;

/**
 * Selects jobs by more than a store can be asked for: a text in their errors, or the
 * cause of their death. Of these a page reads a bounded number of jobs, in steps, so it
 * may hold few or none, or some more than were asked for, and a cursor that continues.
 *
 * @param filter what the store is asked for
 * @param sieve selects from what the store returns, or {@code null} to take all
 */
record JobSearch(JobFilter filter, @Nullable Predicate<Job> sieve) {

	/** So many jobs, with all of their errors, are read for a page. */
	static final int MOST_READ = Deaths.MOST_LOOKED_AT;

	private static final int READ_AT_ONCE = 200;

	/**
	 * Create a search.
	 * @param filter what the store is asked for
	 * @param error a text that an error of the job must contain, whatever its case
	 * @param cause the id of the cause of its death
	 */
	static JobSearch of(JobFilter filter, @Nullable String error, @Nullable String cause) {
		Predicate<Job> sieve = (error != null) ? containing(error.toLowerCase(Locale.ROOT)) : null;
		if (cause == null) {
			return new JobSearch(filter, sieve);
		}
		Predicate<Job> dead = Deaths.causedBy(cause);
		return new JobSearch(filter.states(Set.of(JobState.DEAD)), (sieve != null) ? dead.and(sieve) : dead);
	}

	private static Predicate<Job> containing(String error) {
		return (job) -> {
			Trail.End end = job.trail().end();
			return (end != null && contains(end.message(), error))
					|| job.trail().attempts().stream().anyMatch((attempt) -> contains(attempt.error(), error));
		};
	}

	private static boolean contains(@Nullable String text, String part) {
		return text != null && text.toLowerCase(Locale.ROOT).contains(part);
	}

	/**
	 * Return whether the store can count them, so that none need be read.
	 */
	boolean isCounted() {
		return this.sieve == null && this.filter.getText() == null;
	}

	JobPage page(JobOperations operations, PageRequest request) {
		Predicate<Job> sieve = this.sieve;
		if (sieve == null) {
			return LatestFirst.page(operations, this.filter, request);
		}
		List<Job> found = new ArrayList<>();
		String next = request.after();
		int read = 0;
		do {
			PageRequest part = (request.isNewestFirst() ? PageRequest.newestFirst(READ_AT_ONCE)
					: PageRequest.oldestFirst(READ_AT_ONCE))
				.after(next);
			JobPage page = LatestFirst.page(operations, this.filter, part);
			page.jobs().stream().filter(sieve).forEach(found::add);
			next = page.next();
			read += READ_AT_ONCE;
		}
		while (next != null && found.size() < request.limit() && read < MOST_READ);
		return JobPage.of(found, next);
	}

	/**
	 * Visit all jobs, those that came last first, in bounded steps.
	 */
	void forEach(JobOperations operations, Consumer<Job> visitor) {
		PageRequest request = PageRequest.newestFirst(READ_AT_ONCE);
		String next = null;
		do {
			JobPage page = operations.page(this.filter, request.after(next));
			page.jobs().stream().filter((job) -> this.sieve == null || this.sieve.test(job)).forEach(visitor);
			next = page.next();
		}
		while (next != null);
	}

}
