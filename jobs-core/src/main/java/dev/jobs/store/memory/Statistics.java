package dev.jobs.store.memory;

import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;

import dev.jobs.store.view.JobInspector.Period;
import dev.jobs.store.view.Tally;
import dev.jobs.store.view.Tally.Span;

/**
 * Keeps the tallies of each span of time, by queue.
 */
final class Statistics {

	private final Map<Span, NavigableMap<Instant, Map<String, long[]>>> spans = new EnumMap<>(Span.class);

	Statistics() {
		for (Span span : Span.values()) {
			this.spans.put(span, new TreeMap<>());
		}
	}

	void add(Tally tally) {
		this.spans.forEach((span, starts) -> add(tally, starts, span.startOf(tally.start())));
	}

	private static void add(Tally tally, Map<Instant, Map<String, long[]>> starts, Instant start) {
		sum(starts.computeIfAbsent(start, (added) -> new HashMap<>())
			.computeIfAbsent(tally.queue(), (added) -> new long[Tally.CELLS]), tally.cells());
	}

	private static void sum(long[] sums, long[] cells) {
		for (int i = 0; i < Tally.CELLS; i++) {
			sums[i] += cells[i];
		}
	}

	void forgetOld(Instant now) {
		this.spans.forEach((span, starts) -> starts.headMap(span.keptSince(now)).clear());
	}

	void forgetAll() {
		this.spans.values().forEach(Map::clear);
	}

	List<Tally> of(Set<String> queues, Period period) {
		Map<String, Map<Instant, long[]>> sums = new TreeMap<>();
		Objects.requireNonNull(this.spans.get(period.span()))
			.subMap(period.from(), period.to())
			.forEach((start, tallies) -> tallies.forEach((queue, cells) -> {
				if (queues.isEmpty() || queues.contains(queue)) {
					sum(sums.computeIfAbsent(queue, (added) -> new TreeMap<>())
						.computeIfAbsent(period.stepOf(start), (added) -> new long[Tally.CELLS]), cells);
				}
			}));
		List<Tally> statistics = new ArrayList<>();
		sums.forEach((queue, steps) -> steps.forEach((start, cells) -> statistics.add(Tally.of(queue, start, cells))));
		return statistics;
	}

}
