package dev.jobs.store;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.function.Predicate;
import java.util.stream.Stream;

import dev.jobs.Job;
import dev.jobs.JobFilter;
import dev.jobs.Trail;
import dev.jobs.store.JobInspector.Page;
import dev.jobs.store.JobInspector.Range;

/**
 * A job and when it entered its state, for stores to look whether a filter selects it.
 *
 * @param job the job
 * @param since when it entered its state or, if it waits, is due
 */
public record Seen(Job job, Instant since) {

	/** The order of pages, the earliest first. */
	public static final Comparator<Seen> ORDER = Comparator.comparing(Seen::since)
		.thenComparing((seen) -> seen.job().id());

	/**
	 * Return whether a filter selects the job, as far as its state, name, attempts and
	 * time tell.
	 * @param filter the filter
	 * @return whether it does
	 */
	public boolean fits(JobFilter filter) {
		return (filter.getStates().isEmpty() || filter.getStates().contains(this.job.state()))
				&& (filter.getName() == null || filter.getName().equals(this.job.name()))
				&& (filter.getRetrying() == null || filter.getRetrying() == (this.job.attempt() > 1))
				&& (filter.getSince() == null || !this.since.isBefore(filter.getSince()))
				&& (filter.getBefore() == null || this.since.isBefore(filter.getBefore()));
	}

	/**
	 * Return what tells whether a job has the tag and the text of a filter, if that has
	 * them.
	 * @param filter the filter
	 * @return tells whether a job has them
	 */
	public static Predicate<Job> containing(JobFilter filter) {
		String tag = filter.getTag();
		String text = (filter.getText() != null) ? filter.getText().toLowerCase(Locale.ROOT) : null;
		return (job) -> (tag == null || job.tags().contains(tag)) && (text == null || contains(job, text));
	}

	private static boolean contains(Job job, String text) {
		Trail.End end = job.trail().end();
		return Stream
			.of(Stream.of(job.id()), job.trail().attempts().stream().map(Trail.Attempt::error),
					Stream.ofNullable(end).map(Trail.End::message),
					Stream.of(job.payload()).map((payload) -> new String(payload, StandardCharsets.UTF_8)))
			.flatMap((texts) -> texts)
			.filter(Objects::nonNull)
			.anyMatch((candidate) -> candidate.toLowerCase(Locale.ROOT).contains(text));
	}

	/**
	 * Return a page of those of a few jobs that a filter selects.
	 * @param few the jobs
	 * @param filter the filter; its key is not asked
	 * @param range which of them
	 * @return the page
	 */
	public static Page page(Collection<Seen> few, JobFilter filter, Range range) {
		Predicate<Job> search = containing(filter);
		List<Job> selected = few.stream()
			.filter((seen) -> seen.fits(filter) && search.test(seen.job()))
			.sorted(range.newestFirst() ? ORDER.reversed() : ORDER)
			.map(Seen::job)
			.toList();
		return new Page(selected.stream().skip(range.searched()).skip(range.offset()).limit(range.size()).toList(),
				selected.size());
	}

}
