package dev.jobs;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Predicate;

import org.jspecify.annotations.Nullable;

/**
 * Dead jobs by what they died of. Errors that differ in nothing but numbers, ids, URLs,
 * addresses and quoted text are one cause if they came from the same method of the
 * application. <pre class="code">{@code
 * for (Deaths.Cause cause : operations.deaths(JobFilter.all()).causes()) {
 *     lines.add(cause.count() + " died of " + cause.error());
 * }
 * }</pre>
 */
public final class Deaths {

	/** How many jobs are looked at, with all of their errors. */
	public static final int MOST_LOOKED_AT = 1_000;

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
		Map<Fingerprint, List<Job>> groups = new LinkedHashMap<>();
		jobs.forEach((job) -> groups.computeIfAbsent(Fingerprint.of(job), (any) -> new ArrayList<>()).add(job));
		List<Cause> causes = new ArrayList<>();
		groups.forEach((print, dead) -> causes.add(new Cause(print, dead)));
		causes.sort(Comparator.comparingLong(Cause::count).reversed());
		return new Deaths(List.copyOf(causes), jobs.size(), complete);
	}

	/**
	 * Return what selects the jobs that died of one cause.
	 * @param id the {@linkplain Cause#id() id} of the cause
	 * @return whether a job did
	 */
	public static Predicate<Job> causedBy(String id) {
		return (job) -> job.state() == JobState.DEAD && Fingerprint.of(job).id().equals(id);
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

		private final Fingerprint print;

		private final List<Job> jobs;

		private Cause(Fingerprint print, List<Job> jobs) {
			this.print = print;
			this.jobs = jobs;
		}

		/**
		 * Return what the cause is called and found by, at any time and in any process.
		 * @return the id
		 */
		public String id() {
			return this.print.id();
		}

		/**
		 * Return what they died of: the first line of the last error, which begins with
		 * the class of the exception, or the reason given. What differs from job to job
		 * is masked, as in {@code order <number> was not found}.
		 * @return the error
		 */
		public String error() {
			return this.print.error();
		}

		/**
		 * Return the first method of the application in the stack.
		 * @return the class and the method, or {@code null} if no stack shows one
		 */
		public @Nullable String frame() {
			return this.print.frame();
		}

		/**
		 * Return how many there are.
		 * @return the number
		 */
		public long count() {
			return this.jobs.size();
		}

		/**
		 * Return how many different errors these are before anything is masked.
		 * @return the number
		 */
		public long messages() {
			return this.jobs.stream().map(Fingerprint::message).distinct().count();
		}

		/**
		 * Return when the jobs died.
		 * @return the instants, latest first
		 */
		public List<Instant> times() {
			List<Instant> times = new ArrayList<>();
			for (Job job : this.jobs) {
				Trail.End end = job.trail().end();
				if (end != null) {
					times.add(end.at());
				}
			}
			times.sort(Comparator.reverseOrder());
			return times;
		}

		/**
		 * Return in which queues the jobs are.
		 * @return how many there are in each queue, by its name
		 */
		public Map<String, Long> queues() {
			Map<String, Long> queues = new TreeMap<>();
			this.jobs.forEach((job) -> queues.merge(job.name(), 1L, Long::sum));
			return queues;
		}

		/**
		 * Return the one that died last.
		 * @return the job
		 */
		public Job latest() {
			return this.jobs.get(0);
		}

	}

}
