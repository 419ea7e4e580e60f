package dev.jobs.store.redis;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.stream.Collectors;

import dev.jobs.Job;
import dev.jobs.JobFilter;
import dev.jobs.store.JobInspector.Page;
import dev.jobs.store.JobInspector.Range;
import dev.jobs.store.Seen;

/**
 * Those of many jobs that a filter selects. Only where they are is kept, since each may
 * be large; those of the page are read again.
 */
final class Matches {

	private final Link link;

	private final Partitions partitions;

	private final JobFilter filter;

	private final Predicate<Job> search;

	private final Range range;

	private final Instant now;

	private final List<Key> keys = new ArrayList<>();

	Matches(Link link, Partitions partitions, JobFilter filter, Range range, Instant now) {
		this.link = link;
		this.partitions = partitions;
		this.filter = filter;
		this.search = Seen.containing(filter);
		this.range = range;
		this.now = now;
	}

	/**
	 * Keep a job if the filter selects it.
	 */
	void add(Seen seen) {
		if (isSelected(seen)) {
			this.keys.add(new Key(seen.since(), seen.job().id(), this.partitions.of(seen.job().name())));
		}
	}

	private boolean isSelected(Seen seen) {
		return seen.fits(this.filter) && this.search.test(seen.job());
	}

	/**
	 * Look jobs of a partition up by their ids and keep those that the filter selects.
	 */
	void addAll(int partition, List<String> ids) {
		read(partition, ids, Rows.wanted(this.filter), this::add);
	}

	/**
	 * Return the page. A job that has changed meanwhile may have left it.
	 */
	Page page(boolean complete, long searched) {
		this.keys.sort(this.range.newestFirst() ? Key.ORDER.reversed() : Key.ORDER);
		Map<Integer, List<String>> wanted = this.keys.stream()
			.skip(this.range.offset())
			.limit(this.range.size())
			.collect(Collectors.groupingBy(Key::partition, Collectors.mapping(Key::id, Collectors.toList())));
		List<Seen> seen = new ArrayList<>();
		wanted.forEach((partition, ids) -> read(partition, ids, Formats.NOTHING, (one) -> {
			if (isSelected(one)) {
				seen.add(one);
			}
		}));
		seen.sort(this.range.newestFirst() ? Seen.ORDER.reversed() : Seen.ORDER);
		return new Page(seen.stream().map(Seen::job).toList(), this.keys.size(), complete, searched);
	}

	private void read(int partition, List<String> ids, byte[] wanted, Consumer<Seen> action) {
		Slices.read(ids, (slice) -> {
			Arguments arguments = Arguments.at(this.now).add(wanted);
			slice.forEach(arguments::add);
			return List.of(this.link.send(Script.JOB, this.partitions.keys(partition), arguments));
		}, (slice, replies) -> Rows.readAll(replies, this.now).forEach(action));
	}

	/**
	 * Where a job is.
	 *
	 * @param since when it entered its state or, if it waits, is due
	 * @param id its id
	 * @param partition the partition of its queue
	 */
	private record Key(Instant since, String id, int partition) {

		static final Comparator<Key> ORDER = Comparator.comparing(Key::since).thenComparing(Key::id);

	}

}
