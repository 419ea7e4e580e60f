package dev.jobs.store.redis.page;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

import dev.jobs.store.redis.format.Formats;
import dev.jobs.store.redis.wire.Reply;
import dev.jobs.store.view.JobInspector.Period;
import dev.jobs.store.view.Tally;

/**
 * Sums up the statistics of several partitions.
 */
final class Statistics {

	private final Period period;

	private final Map<String, Map<Instant, long[]>> sums = new TreeMap<>();

	Statistics(Period period) {
		this.period = period;
	}

	void read(Reply reply) {
		while (reply.hasMore()) {
			Instant start = this.period.stepOf(reply.instant());
			Reply tallies = reply.list();
			while (tallies.hasMore()) {
				String queue = tallies.text();
				long[] cells = Formats.readTally(tallies.text());
				if (cells != null) {
					add(cells, this.sums.computeIfAbsent(queue, (key) -> new TreeMap<>())
						.computeIfAbsent(start, (step) -> new long[Tally.CELLS]));
				}
			}
		}
	}

	private static void add(long[] cells, long[] sums) {
		for (int i = 0; i < sums.length; i++) {
			sums[i] += cells[i];
		}
	}

	List<Tally> tallies() {
		List<Tally> tallies = new ArrayList<>();
		this.sums
			.forEach((queue, steps) -> steps.forEach((start, cells) -> tallies.add(Tally.of(queue, start, cells))));
		return tallies;
	}

}
