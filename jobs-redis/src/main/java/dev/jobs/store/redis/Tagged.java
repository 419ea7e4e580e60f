package dev.jobs.store.redis;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

import dev.jobs.JobFilter;
import dev.jobs.store.JobInspector;
import dev.jobs.store.JobInspector.Page;
import dev.jobs.store.JobInspector.Range;

/**
 * One page of the jobs that have a tag. What knows them has them in the order of their
 * ids, so a bounded number of them is read.
 */
final class Tagged {

	private final Link link;

	private final Partitions partitions;

	private final JobFilter filter;

	private final Range range;

	private final Instant now;

	Tagged(Link link, Partitions partitions, JobFilter filter, Range range, Instant now) {
		this.link = link;
		this.partitions = partitions;
		this.filter = filter;
		this.range = range;
		this.now = now;
	}

	Page page(String tag) {
		String name = (this.filter.getName() != null) ? this.filter.getName() : "";
		List<Integer> asked = name.isEmpty() ? this.partitions.all() : List.of(this.partitions.of(name));
		Matches matches = new Matches(this.link, this.partitions, this.filter, this.range, this.now);
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
			matches.addAll(partition, ids);
			total += there;
			passedOver = Math.max(passedOver - there, 0);
			read += ids.size();
		}
		long searched = this.range.searched() + read;
		return matches.page(read == 0 || searched >= total, searched);
	}

}
