package dev.jobs.store.redis;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.Predicate;

import dev.jobs.Job;
import dev.jobs.JobFilter;
import dev.jobs.store.JobInspector;
import dev.jobs.store.JobInspector.Page;
import dev.jobs.store.JobInspector.Range;
import dev.jobs.store.Seen;

/**
 * One page of the jobs that have a tag. What knows them has them in the order of their
 * ids, so a bounded number of them is read and put into the order of the page.
 */
final class Tagged {

	private static final int SLICE = 500;

	private final Link link;

	private final Partitions partitions;

	private final Instant now;

	Tagged(Link link, Partitions partitions, Instant now) {
		this.link = link;
		this.partitions = partitions;
		this.now = now;
	}

	Page page(String tag, JobFilter filter, Range range) {
		String name = (filter.name() != null) ? filter.name() : "";
		List<Integer> asked = name.isEmpty() ? this.partitions.all() : List.of(this.partitions.of(name));
		List<Seen> seen = new ArrayList<>();
		long passedOver = range.searched();
		long total = 0;
		int read = 0;
		for (int partition : asked) {
			Reply found = this.link.run(Script.TAGGED, this.partitions.keys(partition),
					Arguments.at(this.now)
						.add(tag)
						.add(name)
						.add(range.newestFirst() ? 1 : 0)
						.add(passedOver)
						.add(JobInspector.LOOKED_THROUGH - read));
			long there = found.number();
			List<String> ids = new ArrayList<>();
			while (found.hasMore()) {
				ids.add(found.text());
			}
			seen.addAll(read(partition, ids));
			total += there;
			passedOver = Math.max(passedOver - there, 0);
			read += ids.size();
		}
		Predicate<Job> search = Seen.containing(filter);
		Comparator<Seen> order = range.newestFirst() ? Seen.ORDER.reversed() : Seen.ORDER;
		List<Job> matching = seen.stream()
			.filter((each) -> each.fits(filter) && search.test(each.job()))
			.sorted(order)
			.map(Seen::job)
			.toList();
		long searched = range.searched() + read;
		return new Page(matching.stream().skip(range.offset()).limit(range.size()).toList(), matching.size(),
				read == 0 || searched >= total, searched);
	}

	private List<Seen> read(int partition, List<String> ids) {
		List<Seen> seen = new ArrayList<>(ids.size());
		for (int from = 0; from < ids.size(); from += SLICE) {
			Arguments arguments = Arguments.at(this.now);
			ids.subList(from, Math.min(from + SLICE, ids.size())).forEach(arguments::add);
			Reply rows = this.link.run(Script.JOB, this.partitions.keys(partition), arguments);
			while (rows.hasMore()) {
				seen.add(Rows.read(rows, this.now));
			}
		}
		return seen;
	}

}
