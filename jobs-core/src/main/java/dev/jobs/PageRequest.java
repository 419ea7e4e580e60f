package dev.jobs;

import java.util.Objects;

import org.jspecify.annotations.Nullable;

/**
 * The wanted part of a list of jobs: how many, in which order, and after which cursor.
 * <pre class="code">{@code
 * PageRequest request = PageRequest.oldestFirst(100);
 * JobPage page = operations.jobs(timeouts).page(request);
 * List<Job> jobs = new ArrayList<>(page.jobs());
 * while (page.next() != null) {
 *     page = operations.jobs(timeouts).page(request.after(page.next()));
 *     jobs.addAll(page.jobs());
 * }
 * }</pre>
 */
public final class PageRequest {

	/** The most jobs that one page holds. */
	public static final int LARGEST = 1_000;

	private final int limit;

	private final boolean newestFirst;

	private final @Nullable String after;

	private PageRequest(int limit, boolean newestFirst, @Nullable String after) {
		if (limit < 1 || limit > LARGEST) {
			throw new IllegalArgumentException("'limit' must be from 1 to " + LARGEST + " but was " + limit);
		}
		this.limit = limit;
		this.newestFirst = newestFirst;
		this.after = after;
	}

	/**
	 * Request the first page of a list that begins with the oldest.
	 * @param limit how many jobs to return at most, from 1 to {@value #LARGEST}
	 */
	public static PageRequest oldestFirst(int limit) {
		return new PageRequest(limit, false, null);
	}

	/**
	 * Request the first page of a list that begins with the newest, by what happened
	 * last. Jobs that are not due yet follow all others, the soonest first, unless the
	 * filter has a tag or a time or selects only such jobs.
	 * @param limit how many jobs to return at most, from 1 to {@value #LARGEST}
	 */
	public static PageRequest newestFirst(int limit) {
		return new PageRequest(limit, true, null);
	}

	/**
	 * Request the page after a cursor, in the same order.
	 * @param cursor the {@link JobPage#next() cursor} of the page before, or {@code null}
	 * for the first page
	 */
	public PageRequest after(@Nullable String cursor) {
		return new PageRequest(this.limit, this.newestFirst, cursor);
	}

	/**
	 * Return how many jobs are wanted at most.
	 */
	public int limit() {
		return this.limit;
	}

	/**
	 * Return whether the list begins with the newest.
	 * @return {@code true} for the newest first
	 */
	public boolean isNewestFirst() {
		return this.newestFirst;
	}

	/**
	 * Return the cursor after which the page begins.
	 * @return the cursor, or {@code null} for the first page
	 */
	public @Nullable String after() {
		return this.after;
	}

	@Override
	public boolean equals(@Nullable Object other) {
		return other instanceof PageRequest request && this.limit == request.limit
				&& this.newestFirst == request.newestFirst && Objects.equals(this.after, request.after);
	}

	@Override
	public int hashCode() {
		return Objects.hash(this.limit, this.newestFirst, this.after);
	}

	@Override
	public String toString() {
		return "PageRequest[" + this.limit + " jobs, " + (this.newestFirst ? "newest" : "oldest") + " first"
				+ ((this.after != null) ? ", after " + this.after : "") + "]";
	}

}
