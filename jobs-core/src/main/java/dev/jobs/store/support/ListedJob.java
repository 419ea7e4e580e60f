package dev.jobs.store.support;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Stream;

import dev.jobs.Job;
import dev.jobs.JobCount;
import dev.jobs.JobFilter;
import dev.jobs.JobPage;
import dev.jobs.JobState;
import dev.jobs.PageRequest;
import dev.jobs.Trail;
import dev.jobs.Urgency;
import org.jspecify.annotations.Nullable;

/**
 * A job and when it entered its state. Its methods {@link #fits} and {@link #containing}
 * define once, for all stores, which filter selects which job.
 *
 * @param job the job
 * @param since when it entered its state or, if it waits, is due
 */
public record ListedJob(Job job, Instant since) {

	/** By time, the earliest first, then by id. */
	public static final Comparator<ListedJob> ORDER = Comparator.comparing(ListedJob::since)
		.thenComparing((seen) -> seen.job().id());

	private static final int SEARCHED_AT_ONCE = 1 << 16;

	/**
	 * Return a job as in a list: with the size and the beginning of its payload instead
	 * of the payload, and with the stack and the log of the last failure only.
	 * @return the job, as listed
	 */
	public static Job listed(Job job) {
		return withDetailsOf(job.trail().lastFailure(), job).payloadPreview(job.payloadPreview(), job.payloadSize())
			.build();
	}

	/**
	 * Return a job without the stacks and the logs of its attempts.
	 */
	public static Job bare(Job job) {
		return withDetailsOf(null, job).build();
	}

	private static Job.Builder withDetailsOf(Trail.@Nullable Attempt attempt, Job job) {
		return job.toBuilder().trail(TrailBuilder.of(job.trail()).withDetailsOf(attempt).build());
	}

	/**
	 * Return whether the job has the state, the name and the time of a filter, and was
	 * tried before if the filter requires it.
	 */
	public boolean fits(JobFilter filter) {
		return fits(filter, this.job.state(), this.job.name(), this.job.trail().attempt(), this.since);
	}

	/**
	 * Return the same for a job whose other fields were not read.
	 * @param filter the filter
	 * @param state its state
	 * @param name its name
	 * @param attempt the number that its trail has
	 * @param since when it entered its state or, if it waits, is due
	 * @return whether it has them
	 */
	public static boolean fits(JobFilter filter, JobState state, String name, int attempt, Instant since) {
		return (filter.getStates().isEmpty() || filter.getStates().contains(state))
				&& (filter.getName() == null || filter.getName().equals(name))
				&& (filter.getRetrying() == null || filter.getRetrying() == (attempt > 1))
				&& (filter.getSince() == null || !since.isBefore(filter.getSince()))
				&& (filter.getBefore() == null || since.isBefore(filter.getBefore()));
	}

	/**
	 * Return a test for the tag, the lane, the urgency and the text of a filter. Every
	 * job passes if the filter has none of them.
	 */
	public static Predicate<Job> containing(JobFilter filter) {
		String tag = filter.getTag();
		String text = (filter.getText() != null) ? filter.getText().toLowerCase(Locale.ROOT) : null;
		String lane = filter.getLane();
		Urgency urgency = filter.getUrgency();
		return (job) -> (tag == null || job.tags().contains(tag)) && (lane == null || lane.equals(job.lane()))
				&& (urgency == null || urgency == job.urgency()) && (text == null || contains(job, text));
	}

	/**
	 * Return the same test for jobs without their payload; it is read only if the filter
	 * has a text.
	 * @param filter the filter
	 * @param whole reads a job with its payload
	 */
	public static Predicate<Job> containing(JobFilter filter, Function<String, Optional<Job>> whole) {
		Predicate<Job> contained = containing(filter);
		return (filter.getText() == null) ? contained : (job) -> whole.apply(job.id()).filter(contained).isPresent();
	}

	private static boolean contains(Job job, String text) {
		Trail.End end = job.trail().end();
		return Stream
			.of(Stream.of(job.id()), job.trail().attempts().stream().map(Trail.Attempt::error),
					Stream.ofNullable(end).map(Trail.End::message))
			.flatMap((texts) -> texts)
			.filter(Objects::nonNull)
			.anyMatch((candidate) -> candidate.toLowerCase(Locale.ROOT).contains(text))
				|| contains(job.payload(), text);
	}

	/**
	 * Return whether a payload contains a text, examining one part at a time: a
	 * lower-case copy of the whole may take four times its bytes.
	 */
	private static boolean contains(byte[] payload, String text) {
		CharsetDecoder decoder = StandardCharsets.UTF_8.newDecoder()
			.onMalformedInput(CodingErrorAction.REPLACE)
			.onUnmappableCharacter(CodingErrorAction.REPLACE);
		int overlap = text.length() + 2;
		ByteBuffer bytes = ByteBuffer.wrap(payload);
		CharBuffer part = CharBuffer.allocate(overlap + Math.min(payload.length, SEARCHED_AT_ONCE) + 2);
		while (true) {
			boolean isLast = decoder.decode(bytes, part, true).isUnderflow();
			part.flip();
			if (part.toString().toLowerCase(Locale.ROOT).contains(text)) {
				return true;
			}
			if (isLast) {
				return false;
			}
			part.position(Math.max(part.limit() - overlap, 0));
			part.compact();
		}
	}

	/**
	 * Return a page of the selected ones among a few jobs, by time.
	 * @param few the jobs
	 * @param filter the filter; its key is not looked at
	 * @param search whether a job has the tag and the text of the filter
	 * @param request which of them
	 */
	public static JobPage page(Collection<ListedJob> few, JobFilter filter, Predicate<Job> search,
			PageRequest request) {
		Comparator<ListedJob> order = request.isNewestFirst() ? ORDER.reversed() : ORDER;
		Predicate<ListedJob> behind = behind(Cursor.read(filter, request), request.isNewestFirst());
		List<ListedJob> rest = few.stream()
			.filter((seen) -> seen.fits(filter) && search.test(seen.job()) && behind.test(seen))
			.sorted(order)
			.toList();
		List<ListedJob> page = rest.subList(0, Math.min(request.limit(), rest.size()));
		String next = (page.size() < rest.size()) ? Cursor.write(page.get(page.size() - 1).position(), filter, request)
				: null;
		return JobPage.of(page.stream().map((seen) -> listed(seen.job())).toList(), next);
	}

	/**
	 * Count the selected ones among a few jobs.
	 * @param few the jobs
	 * @param filter the filter; its key is not looked at
	 * @param search whether a job has the tag and the text of the filter
	 * @param bound up to which number the count is exact
	 */
	public static JobCount count(Collection<ListedJob> few, JobFilter filter, Predicate<Job> search, int bound) {
		return count(few.stream().filter((seen) -> seen.fits(filter) && search.test(seen.job())).count(), bound);
	}

	/**
	 * Return a count that ended at a bound, unless all are fewer.
	 */
	public static JobCount count(long number, long bound) {
		return (number <= bound) ? JobCount.exactly(number) : JobCount.atLeast(bound);
	}

	private List<String> position() {
		return List.of(this.since.toString(), this.job.id());
	}

	private static Predicate<ListedJob> behind(List<String> position, boolean newestFirst) {
		if (position.isEmpty()) {
			return (seen) -> true;
		}
		try {
			Instant since = Instant.parse(position.get(0));
			String id = position.get(1);
			return (seen) -> {
				int time = seen.since.compareTo(since);
				int compared = (time != 0) ? time : seen.job.id().compareTo(id);
				return newestFirst ? compared < 0 : compared > 0;
			};
		}
		catch (DateTimeException | IndexOutOfBoundsException ex) {
			throw Cursor.refused(ex);
		}
	}

}
