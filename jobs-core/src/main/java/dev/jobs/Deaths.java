package dev.jobs;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Dead jobs by what they died of. <pre class="code">{@code
 * for (Deaths.Cause cause : operations.deaths(JobFilter.all()).causes()) {
 *     lines.add(cause.count() + " died of " + cause.error());
 * }
 * }</pre>
 */
public final class Deaths {

	/** How many jobs are looked at, with all of their errors. */
	public static final int MOST_LOOKED_AT = 1_000;

	private static final int LONGEST = 200;

	private final List<Cause> causes;

	private final long searched;

	private final boolean complete;

	private Deaths(List<Cause> causes, long searched, boolean complete) {
		this.causes = causes;
		this.searched = searched;
		this.complete = complete;
	}

	/**
	 * Group dead jobs.
	 * @param jobs the jobs, those that died last first
	 * @param complete whether these are all
	 * @return the groups
	 */
	public static Deaths of(List<Job> jobs, boolean complete) {
		Map<String, List<Job>> groups = new LinkedHashMap<>();
		jobs.forEach((job) -> groups.computeIfAbsent(causeOf(job), (cause) -> new ArrayList<>()).add(job));
		List<Cause> causes = new ArrayList<>();
		groups.forEach((error, dead) -> causes.add(new Cause(error, dead.size(), dead.get(0))));
		causes.sort(Comparator.comparingLong(Cause::count).reversed());
		return new Deaths(List.copyOf(causes), jobs.size(), complete);
	}

	/**
	 * Return what a job died of: the first line of its last error, which begins with the
	 * class of the exception, or the reason given.
	 * @param job a dead job
	 * @return the cause, by which it is grouped
	 */
	public static String causeOf(Job job) {
		Trail.End end = job.trail().end();
		String line = (end != null) ? end.message().lines().findFirst().orElse("").strip() : "";
		return (line.length() > LONGEST) ? line.substring(0, LONGEST) : line;
	}

	/**
	 * Return the causes, the most frequent first.
	 * @return the causes
	 */
	public List<Cause> causes() {
		return this.causes;
	}

	/**
	 * Return how many of the jobs that died last were looked at.
	 * @return the number
	 */
	public long searched() {
		return this.searched;
	}

	/**
	 * Return whether these were all.
	 * @return {@code true} if they were
	 */
	public boolean complete() {
		return this.complete;
	}

	/**
	 * Jobs that died of the same.
	 */
	public static final class Cause {

		private final String error;

		private final long count;

		private final Job latest;

		private Cause(String error, long count, Job latest) {
			this.error = error;
			this.count = count;
			this.latest = latest;
		}

		/**
		 * Return what they died of.
		 * @return the error
		 */
		public String error() {
			return this.error;
		}

		/**
		 * Return how many there are.
		 * @return the number
		 */
		public long count() {
			return this.count;
		}

		/**
		 * Return the one that died last.
		 * @return the job
		 */
		public Job latest() {
			return this.latest;
		}

	}

}
