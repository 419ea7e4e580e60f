package dev.jobs.store.memory;

import java.time.DateTimeException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.Predicate;
import java.util.function.ToIntFunction;

import dev.jobs.Job;
import dev.jobs.JobCount;
import dev.jobs.JobFilter;
import dev.jobs.JobPage;
import dev.jobs.PageRequest;
import dev.jobs.store.support.Cursor;
import dev.jobs.store.support.ListedJob;
import dev.jobs.store.view.JobInspector;
import org.jspecify.annotations.Nullable;

/**
 * Reads a page of jobs in the order of a list.
 */
final class Listing {

	private static final String LINE = "line";

	private static final String TIME = "time";

	private static final String ID = "id";

	private static final Comparator<Listed> BY_ID = Comparator.comparing(Listed::id);

	private static final Comparator<Listed> IN_LINE = Comparator.comparing(Listed::queue).thenComparing(Listed::place);

	private static final Comparator<Listed> BY_TIME = Comparator.comparing(Listed::seen, ListedJob.ORDER);

	private final JobFilter filter;

	private final PageRequest request;

	private final List<Listed> jobs;

	Listing(List<Listed> jobs, JobFilter filter, PageRequest request) {
		this.filter = filter;
		this.request = request;
		Comparator<Listed> order = (filter.getTag() != null) ? BY_ID : Listing::compare;
		this.jobs = jobs.stream()
			.filter((job) -> job.seen().fits(filter))
			.sorted(request.isNewestFirst() ? order.reversed() : order)
			.toList();
	}

	/**
	 * Jobs in the ready lists come before all others.
	 */
	private static int compare(Listed one, Listed other) {
		if (one.isInLine() != other.isInLine()) {
			return one.isInLine() ? -1 : 1;
		}
		return (one.isInLine() ? IN_LINE : BY_TIME).compare(one, other);
	}

	JobPage page() {
		Predicate<Job> search = ListedJob.containing(this.filter);
		boolean looks = looks();
		int begin = begin();
		int end = looks ? Math.min(this.jobs.size(), begin + JobInspector.LOOKED_THROUGH) : this.jobs.size();
		List<Job> page = new ArrayList<>();
		long bytes = 0;
		int i = begin;
		for (; i < end && page.size() < this.request.limit() && bytes < JobInspector.BYTES_LOOKED_THROUGH; i++) {
			Job job = this.jobs.get(i).seen().job();
			bytes += bytesLookedThrough(job);
			if (search.test(job)) {
				page.add(ListedJob.listed(job));
			}
		}
		return JobPage.of(page, (i < this.jobs.size())
				? Cursor.write(position(this.jobs.get(i - 1)), this.filter, this.request) : null);
	}

	JobCount count(int bound) {
		boolean looks = looks();
		Predicate<Job> search = ListedJob.containing(this.filter);
		int most = looks ? Math.min(this.jobs.size(), JobInspector.LOOKED_THROUGH) : this.jobs.size();
		long found = 0;
		long bytes = 0;
		int i = 0;
		for (; i < most && bytes < JobInspector.BYTES_LOOKED_THROUGH; i++) {
			Job job = this.jobs.get(i).seen().job();
			bytes += bytesLookedThrough(job);
			found += search.test(job) ? 1 : 0;
		}
		return (i < this.jobs.size()) ? JobCount.atLeast(Math.min(found, bound)) : ListedJob.count(found, bound);
	}

	/**
	 * Return whether jobs must be looked through.
	 */
	private boolean looks() {
		return this.filter.getText() != null || this.filter.getTag() != null || this.filter.getLane() != null;
	}

	private int bytesLookedThrough(Job job) {
		return (this.filter.getText() != null) ? job.payloadSize() : 0;
	}

	private List<String> position(Listed job) {
		if (this.filter.getTag() != null) {
			return List.of(ID, job.id());
		}
		return job.isInLine() ? List.of(LINE, job.queue(), Long.toString(job.place()))
				: List.of(TIME, job.seen().since().toString(), job.id());
	}

	/**
	 * Find the first job behind the cursor.
	 */
	private int begin() {
		List<String> position = Cursor.read(this.filter, this.request);
		if (position.isEmpty()) {
			return 0;
		}
		ToIntFunction<Listed> compared = comparedTo(position);
		int i = 0;
		while (i < this.jobs.size() && isPassed(compared.applyAsInt(this.jobs.get(i)))) {
			i++;
		}
		return i;
	}

	private boolean isPassed(int compared) {
		return this.request.isNewestFirst() ? compared >= 0 : compared <= 0;
	}

	/**
	 * Return how a job compares to a position.
	 */
	private static ToIntFunction<Listed> comparedTo(List<String> position) {
		try {
			switch (position.get(0)) {
				case LINE -> {
					String queue = position.get(1);
					long place = Long.parseLong(position.get(2));
					return (job) -> !job.isInLine() ? 1 : !job.queue().equals(queue) ? job.queue().compareTo(queue)
							: Long.compare(job.place(), place);
				}
				case TIME -> {
					Instant since = Instant.parse(position.get(1));
					String id = position.get(2);
					return (job) -> job.isInLine() ? -1 : !job.seen().since().equals(since)
							? job.seen().since().compareTo(since) : job.id().compareTo(id);
				}
				default -> {
					String id = position.get(1);
					return (job) -> job.id().compareTo(id);
				}
			}
		}
		catch (DateTimeException | NumberFormatException | IndexOutOfBoundsException ex) {
			throw Cursor.refused(ex);
		}
	}

	/**
	 * A job of the list.
	 *
	 * @param seen the job
	 * @param line its place in the ready list of its queue, or {@code null} if it is not
	 * there
	 */
	record Listed(ListedJob seen, @Nullable Long line) {

		boolean isInLine() {
			return this.line != null;
		}

		long place() {
			return (this.line != null) ? this.line : 0;
		}

		String id() {
			return this.seen.job().id();
		}

		String queue() {
			return this.seen.job().name();
		}

	}

}
