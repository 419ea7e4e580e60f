package dev.jobs.store.redis;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import dev.jobs.store.JobInspector.Period;
import dev.jobs.store.Tally;
import dev.jobs.store.Tally.Span;

/**
 * What happened in spans of time, summed up from what the partitions tell.
 */
final class History {

	private static final Pattern COUNT = Pattern.compile("(\\d{1,2})=(\\d{1,18})");

	private final Period period;

	private final Map<String, Map<Instant, long[]>> sums = new TreeMap<>();

	History(Period period) {
		this.period = period;
	}

	/**
	 * Write tallies as the arguments of a beat: how many, what else is of a fixed number,
	 * then each once for every length of spans.
	 */
	static void add(List<Tally> tallies, byte[] between, Arguments arguments) {
		arguments.add((long) tallies.size() * Span.values().length).add(between);
		for (Tally tally : tallies) {
			for (Span span : Span.values()) {
				arguments.add(span.length().toMinutes())
					.add(span.startOf(tally.start()))
					.add(tally.queue())
					.add(text(tally));
			}
		}
	}

	private static String text(Tally tally) {
		List<String> counts = new ArrayList<>();
		long[] cells = tally.cells();
		for (int i = 0; i < cells.length; i++) {
			if (cells[i] != 0) {
				counts.add(i + "=" + cells[i]);
			}
		}
		return String.join(",", counts);
	}

	void read(Reply reply) {
		while (reply.hasMore()) {
			Instant start = this.period.stepOf(Millis.instant(reply.text()));
			Reply tallies = reply.list();
			while (tallies.hasMore()) {
				sum(this.sums.computeIfAbsent(tallies.text(), (queue) -> new TreeMap<>())
					.computeIfAbsent(start, (step) -> new long[Tally.CELLS]), tallies.text());
			}
		}
	}

	private static void sum(long[] cells, String text) {
		Matcher counts = COUNT.matcher(text);
		while (counts.find()) {
			int place = Integer.parseInt(counts.group(1));
			if (place < cells.length) {
				cells[place] += Long.parseLong(counts.group(2));
			}
		}
	}

	List<Tally> tallies() {
		List<Tally> tallies = new ArrayList<>();
		this.sums
			.forEach((queue, steps) -> steps.forEach((start, cells) -> tallies.add(Tally.of(queue, start, cells))));
		return tallies;
	}

}
