package dev.jobs;

import java.time.Instant;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import dev.jobs.text.Fingerprint;
import org.jspecify.annotations.Nullable;

/**
 * Dead jobs by cause. Errors that differ only in numbers, ids, URLs, addresses and quoted
 * text are one cause if they came from the same method of the application.
 * <pre class="code">{@code
 * for (Deaths.Cause cause : operations.jobs(JobFilter.all()).deaths().causes()) {
 *     lines.add(cause.count() + " died of " + cause.error());
 * }
 * }</pre>
 */
public final class Deaths {

	/** How many jobs are read, with all their errors. */
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
	 * Group the jobs that died last, as stores do.
	 * @param first the request for the first page of dead jobs, the latest first
	 * @param pages reads a page
	 * @param bare makes of a job what a group keeps, without stacks and logs
	 */
	public static Deaths of(PageRequest first, Function<PageRequest, JobPage> pages, UnaryOperator<Job> bare) {
		Map<Fingerprint, Cause> causes = new LinkedHashMap<>();
		long searched = 0;
		String next = null;
		for (int left = MOST_LOOKED_AT; left > 0; left -= first.limit()) {
			JobPage page = pages.apply(first.after(next));
			for (Job job : page.jobs()) {
				causes.computeIfAbsent(fingerprint(job), (print) -> new Cause(print, bare.apply(job))).add(job);
			}
			searched += page.jobs().size();
			next = page.next();
			if (next == null) {
				break;
			}
		}
		return new Deaths(causes.values().stream().sorted(Comparator.comparingLong(Cause::count).reversed()).toList(),
				searched, next == null);
	}

	/**
	 * Return a predicate for the jobs that died of one cause.
	 * @param id the {@linkplain Cause#id() id} of the cause
	 */
	public static Predicate<Job> causedBy(String id) {
		return (job) -> job.state() == JobState.DEAD && fingerprint(job).id().equals(id);
	}

	/**
	 * Return the fingerprint of a dead job. It uses the stack of the attempt that the job
	 * died in.
	 */
	private static Fingerprint fingerprint(Job job) {
		Trail.End end = job.trail().end();
		Trail.Attempt last = job.trail().lastFailure();
		String stack = (end != null && last != null && last.endedAt().equals(end.at())) ? last.stackTrace() : null;
		return Fingerprint.of(message(job), stack);
	}

	private static String message(Job job) {
		Trail.End end = job.trail().end();
		return (end != null) ? Fingerprint.firstLine(end.message()) : "";
	}

	/**
	 * Return the causes, the most frequent first.
	 */
	public List<Cause> causes() {
		return this.causes;
	}

	/**
	 * Return how many jobs were read, those that died last.
	 */
	public long searched() {
		return this.searched;
	}

	/**
	 * Return whether these are all dead jobs.
	 */
	public boolean complete() {
		return this.complete;
	}

	/**
	 * Jobs that died of the same cause.
	 */
	public static final class Cause {

		private final Fingerprint print;

		private final Job latest;

		private final List<Instant> times = new ArrayList<>();

		private final Set<String> messages = new HashSet<>();

		private final String[] words;

		/** Which words differ between the jobs. */
		private final BitSet differing = new BitSet();

		/** Whether all errors have the same number of words. */
		private boolean alike = true;

		private final Map<String, Long> queues = new TreeMap<>();

		private long count;

		private Cause(Fingerprint print, Job latest) {
			this.print = print;
			this.latest = latest;
			this.words = words(latest);
		}

		private static String[] words(Job job) {
			return message(job).split("\\s+");
		}

		private void add(Job job) {
			Trail.End end = job.trail().end();
			if (end != null) {
				this.times.add(end.at());
			}
			if (this.messages.add(message(job))) {
				compare(words(job));
			}
			this.queues.merge(job.name(), 1L, Long::sum);
			this.count++;
		}

		private void compare(String[] other) {
			this.alike &= other.length == this.words.length;
			for (int i = 0; this.alike && i < other.length; i++) {
				if (!this.words[i].equals(other[i])) {
					this.differing.set(i);
				}
			}
		}

		/**
		 * Return the id of the cause, which is the same in every process and does not
		 * change.
		 */
		public String id() {
			return this.print.id();
		}

		/**
		 * Return the error they died of: its first line, which begins with the class of
		 * the exception, or the reason given. Parts that differ from job to job are
		 * masked, as in {@code order <number> was not found}.
		 */
		public String error() {
			return this.alike ? Fingerprint.cut(readable()) : this.print.error();
		}

		/**
		 * Return the error with only those words masked that differ among its jobs.
		 */
		private String readable() {
			return IntStream.range(0, this.words.length)
				.mapToObj((i) -> this.differing.get(i) ? Fingerprint.maskedWord(this.words[i]) : this.words[i])
				.collect(Collectors.joining(" "));
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
		 */
		public long count() {
			return this.count;
		}

		/**
		 * Return the number of different errors before masking.
		 */
		public long messages() {
			return this.messages.size();
		}

		/**
		 * Return when the jobs died.
		 * @return the instants, latest first
		 */
		public List<Instant> times() {
			return this.times.stream().sorted(Comparator.reverseOrder()).toList();
		}

		/**
		 * Return in which queues the jobs are.
		 * @return how many there are in each queue, by its name
		 */
		public Map<String, Long> queues() {
			return Collections.unmodifiableMap(this.queues);
		}

		/**
		 * Return the job that died last, as a list has it and without stacks and logs.
		 */
		public Job latest() {
			return this.latest;
		}

	}

}
