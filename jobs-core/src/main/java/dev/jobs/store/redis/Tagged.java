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
import dev.jobs.store.JobInspector;
import dev.jobs.store.JobInspector.Page;
import dev.jobs.store.JobInspector.Range;
import dev.jobs.store.Seen;

/**
 * One page of the jobs that have a tag. What knows them has them in the order of their
 * ids, so a bounded number of them is read. Only where those are that the filter selects
 * is kept, since each may be large; those of the page are read again.
 */
final class Tagged {

	private final Link link;

	private final Partitions partitions;

	private final JobFilter filter;

	private final Predicate<Job> search;

	private final Range range;

	private final Instant now;

	Tagged(Link link, Partitions partitions, JobFilter filter, Range range, Instant now) {
		this.link = link;
		this.partitions = partitions;
		this.filter = filter;
		this.search = Seen.containing(filter);
		this.range = range;
		this.now = now;
	}

	Page page(String tag) {
		String name = (this.filter.name() != null) ? this.filter.name() : "";
		List<Integer> asked = name.isEmpty() ? this.partitions.all() : List.of(this.partitions.of(name));
		List<Key> matching = new ArrayList<>();
		long passedOver = this.range.searched();
		long total = 0;
		int read = 0;
		for (int partition : asked) {
			Reply found = this.link.run(Script.TAGGED, this.partitions.keys(partition),
					Arguments.at(this.now)
						.add(tag)
						.add(name)
						.add(this.range.newestFirst() ? 1 : 0)
						.add(passedOver)
						.add(JobInspector.LOOKED_THROUGH - read));
			long there = found.number();
			List<String> ids = new ArrayList<>();
			while (found.hasMore()) {
				ids.add(found.text());
			}
			read(partition, ids, (seen) -> matching.add(new Key(seen.since(), seen.job().id(), partition)));
			total += there;
			passedOver = Math.max(passedOver - there, 0);
			read += ids.size();
		}
		long searched = this.range.searched() + read;
		return new Page(part(matching), matching.size(), read == 0 || searched >= total, searched);
	}

	/**
	 * Read the jobs of the page. One that has changed meanwhile may have left it.
	 */
	private List<Job> part(List<Key> matching) {
		matching.sort(this.range.newestFirst() ? Key.ORDER.reversed() : Key.ORDER);
		Map<Integer, List<String>> wanted = matching.stream()
			.skip(this.range.offset())
			.limit(this.range.size())
			.collect(Collectors.groupingBy(Key::partition, Collectors.mapping(Key::id, Collectors.toList())));
		List<Seen> jobs = new ArrayList<>();
		wanted.forEach((partition, ids) -> read(partition, ids, jobs::add));
		jobs.sort(this.range.newestFirst() ? Seen.ORDER.reversed() : Seen.ORDER);
		return jobs.stream().map(Seen::job).toList();
	}

	/**
	 * Read jobs and pass on those that the filter selects.
	 */
	private void read(int partition, List<String> ids, Consumer<Seen> action) {
		Slices.read(ids, (slice) -> {
			Arguments arguments = Arguments.at(this.now);
			slice.forEach(arguments::add);
			return List.of(this.link.send(Script.JOB, this.partitions.keys(partition), arguments));
		}, (replies) -> Rows.readAll(replies, this.now)
			.stream()
			.filter((seen) -> seen.fits(this.filter) && this.search.test(seen.job()))
			.forEach(action));
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
