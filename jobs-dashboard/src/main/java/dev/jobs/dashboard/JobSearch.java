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
import dev.jobs.JobPage;
import dev.jobs.JobState;
import dev.jobs.PageRequest;
import dev.jobs.Trail;
import dev.jobs.operations.JobOperations;
import org.jspecify.annotations.Nullable;

/**
 * Selects jobs by filters that no store supports: a text in their errors, or the cause of
 * their death. A page reads a bounded number of jobs, in steps, so it may have few jobs
 * or none, and a cursor that continues.
 *
 * @param filter the filter for the store
 * @param sieve selects from the jobs that the store returns, or {@code null} to take all
 */
record JobSearch(JobFilter filter, @Nullable Predicate<Job> sieve) {

	/** How many jobs, with all their errors, are read for a page. */
	static final int MOST_READ = Deaths.MOST_LOOKED_AT;

	private static final int READ_AT_ONCE = 200;

	/**
	 * Create a search.
	 * @param filter the filter for the store
	 * @param error a text that an error of the job must contain, whatever its case
	 * @param cause the id of the cause of its death
	 */
	static JobSearch of(JobFilter filter, @Nullable String error, @Nullable String cause) {
		Predicate<Job> sieve = (error != null) ? containing(error.toLowerCase(Locale.ROOT)) : null;
		if (cause == null) {
			return new JobSearch(filter, sieve);
		}
		Predicate<Job> dead = Deaths.causedBy(cause);
		return new JobSearch(filter.with((only) -> only.states(Set.of(JobState.DEAD))),
				(sieve != null) ? dead.and(sieve) : dead);
	}

	/**
	 * Select the dead jobs.
	 * @param queue their queue, or {@code null} for all
	 */
	static JobFilter dead(@Nullable String queue) {
		JobFilter dead = JobFilter.of((only) -> only.states(JobState.DEAD));
		return (queue != null) ? dead.with((only) -> only.name(queue)) : dead;
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
	 * Return whether the store can count them, so that they need not be read.
	 */
	boolean isCounted() {
		return this.sieve == null && this.filter.getText() == null;
	}

	JobPage page(JobOperations operations, PageRequest request) {
		if (this.sieve == null) {
			return operations.jobs(this.filter).page(request);
		}
		List<Job> found = new ArrayList<>();
		String next = request.after();
		int many = request.limit();
		int read = 0;
		do {
			int room = request.limit() - found.size();
			JobPage page = read(operations, request, many, next);
			List<Job> selected = selected(page);
			while (selected.size() > room) {
				// Up to the last job that fits, for a cursor that continues after it.
				page = read(operations, request, page.jobs().indexOf(selected.get(room - 1)) + 1, next);
				selected = selected(page);
			}
			found.addAll(selected);
			next = page.next();
			read += many;
			many = READ_AT_ONCE;
		}
		while (found.size() < request.limit() && next != null && read < MOST_READ);
		return JobPage.of(found, next);
	}

	private JobPage read(JobOperations operations, PageRequest request, int many, @Nullable String after) {
		PageRequest part = request.isNewestFirst() ? PageRequest.newestFirst(many) : PageRequest.oldestFirst(many);
		return operations.jobs(this.filter).page(part.after(after));
	}

	private List<Job> selected(JobPage page) {
		return page.jobs().stream().filter((job) -> this.sieve == null || this.sieve.test(job)).toList();
	}

	/**
	 * Visit all jobs, the latest first, in bounded steps.
	 */
	void forEach(JobOperations operations, Consumer<Job> visitor) {
		visit(operations, (jobs) -> {
			jobs.forEach(visitor);
			return true;
		});
	}

	boolean findsAny(JobOperations operations) {
		return !visit(operations, List::isEmpty);
	}

	/**
	 * Visit jobs for as long as the visitor wants more.
	 * @return whether it wanted more until the end
	 */
	private boolean visit(JobOperations operations, Predicate<List<Job>> visitor) {
		PageRequest request = PageRequest.newestFirst(READ_AT_ONCE);
		String next = null;
		do {
			JobPage page = operations.jobs(this.filter).page(request.after(next));
			if (!visitor.test(selected(page))) {
				return false;
			}
			next = page.next();
		}
		while (next != null);
		return true;
	}

}
