package dev.jobs;

import java.util.List;
import java.util.Objects;

import org.jspecify.annotations.Nullable;

/**
 * A page of a list of jobs. <pre class="code">{@code
 * SelectionOperations dead = operations.jobs(JobFilter.of((only) -> only.states(JobState.DEAD)));
 * JobPage page = dead.page(PageRequest.newestFirst(50));
 * String next = page.next();
 * if (next != null) {
 *     page = dead.page(PageRequest.newestFirst(50).after(next));
 * }
 * }</pre>
 */
public final class JobPage {

	private final List<Job> jobs;

	private final @Nullable String next;

	private JobPage(List<Job> jobs, @Nullable String next) {
		this.jobs = List.copyOf(jobs);
		this.next = next;
	}

	/**
	 * Create a page, as stores do.
	 * @param jobs the jobs
	 * @param next the cursor of the page that follows, or {@code null} if this is the
	 * last
	 */
	public static JobPage of(List<Job> jobs, @Nullable String next) {
		return new JobPage(jobs, next);
	}

	/**
	 * Return the jobs. There may be fewer than the limit, or no jobs, on the last page or
	 * if the store examines no more jobs for one page.
	 */
	public List<Job> jobs() {
		return this.jobs;
	}

	/**
	 * Return the cursor of the page that follows.
	 * @return the cursor, or {@code null} if this is the last page
	 */
	public @Nullable String next() {
		return this.next;
	}

	@Override
	public boolean equals(@Nullable Object other) {
		return other instanceof JobPage page && this.jobs.equals(page.jobs) && Objects.equals(this.next, page.next);
	}

	@Override
	public int hashCode() {
		return Objects.hash(this.jobs, this.next);
	}

	@Override
	public String toString() {
		return "JobPage[jobs=" + this.jobs + ", next=" + this.next + "]";
	}

}
