package dev.jobs.dashboard.view;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Supplier;
import java.util.stream.LongStream;
import java.util.stream.Stream;

import dev.jobs.QueueStatistics;
import dev.jobs.QueueStatus;
import dev.jobs.operations.JobOperations;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * The statistics for charts. Recent reads are reused, so that many pages cost no more
 * than one.
 */
public final class Statistics {

	private static final Duration FRESH = Duration.ofSeconds(5);

	private static final int KEPT = 64;

	/** More colours cannot be distinguished. */
	private static final int BUSIEST = 8;

	private static final Duration MINUTE = Duration.ofMinutes(1);

	private static final Duration RECENT = Duration.ofMinutes(30);

	private final JobOperations operations;

	private final InstantSource clock;

	private final Map<String, Reading> readings = Collections.synchronizedMap(new LinkedHashMap<>(16, 0.75f, true) {

		@Override
		protected boolean removeEldestEntry(Map.Entry<String, Reading> eldest) {
			return size() > KEPT;
		}

	});

	/**
	 * Create the statistics.
	 * @param operations the operations to read
	 * @param clock the time
	 */
	public Statistics(JobOperations operations, InstantSource clock) {
		this.operations = operations;
		this.clock = clock;
	}

	/**
	 * Return the past of one queue or of all.
	 * @param range how far back: {@code 15m}, {@code 1h}, {@code 3h}, {@code 12h} or
	 * {@code 2d}
	 * @param queue the queue, or {@code null} for all
	 * @param each whether to add the attempts of the busiest queues
	 * @return the past
	 * @throws IllegalArgumentException if there is no such range
	 */
	public JsonNode of(String range, @Nullable String queue, boolean each) {
		Range wanted = Range.of(range);
		return remembered("statistics " + range + " " + each + " " + ((queue != null) ? "of " + queue : ""),
				() -> steps(wanted.length, wanted.step, queue, each));
	}

	private ObjectNode steps(Duration length, Duration step, @Nullable String queue, boolean each) {
		Instant now = this.clock.instant();
		Instant current = floor(now, step);
		Instant from = current.minus(length).plus(step);
		List<QueueStatistics> statistics = (queue != null) ? this.operations.queue(queue).statistics(from, now, step)
				: this.operations.store().statistics(from, now, step);
		TreeMap<Instant, QueueStatistics> sums = new TreeMap<>();
		statistics.forEach((one) -> sums.merge(one.start(), one, QueueStatistics::plus));
		ObjectNode node = JsonNodeFactory.instance.objectNode()
			.put("stepSeconds", step.toSeconds())
			.put("lastSeconds", Duration.between(current, now).toSeconds());
		activity().putMarks(node.putArray("marks"), from, queue);
		Columns columns = new Columns(node);
		for (Instant start = from; !start.isAfter(current); start = start.plus(step)) {
			columns.add(start, sums.get(start));
		}
		if (each) {
			putEach(node.putArray("queues"), statistics, from, step, (int) (length.toSeconds() / step.toSeconds()));
		}
		return node;
	}

	/**
	 * Put the number of attempts that ended in each step: for the busiest queues, the
	 * busiest first, and for all others together.
	 */
	private static void putEach(ArrayNode array, List<? extends QueueStatistics> statistics, Instant from,
			Duration step, int steps) {
		Map<String, long[]> attempts = new TreeMap<>();
		for (QueueStatistics one : statistics) {
			int i = (int) (Duration.between(from, one.start()).toSeconds() / step.toSeconds());
			attempts.computeIfAbsent(one.queue(), (queue) -> new long[steps])[i] += attempts(one);
		}
		List<Map.Entry<String, long[]>> queues = new ArrayList<>(attempts.entrySet());
		queues.sort(Comparator.comparingLong((queue) -> -LongStream.of(queue.getValue()).sum()));
		long[] others = new long[steps];
		for (Map.Entry<String, long[]> queue : queues) {
			if (array.size() < BUSIEST) {
				putCounts(array.addObject().put("name", queue.getKey()), "attempts", queue.getValue());
			}
			else {
				Arrays.setAll(others, (i) -> others[i] + queue.getValue()[i]);
			}
		}
		if (queues.size() > BUSIEST) {
			putCounts(array.addObject().put("others", queues.size() - BUSIEST), "attempts", others);
		}
	}

	private static void putCounts(ObjectNode node, String name, long[] counts) {
		ArrayNode array = node.putArray(name);
		for (long count : counts) {
			array.add(count);
		}
	}

	private static long attempts(QueueStatistics one) {
		return one.succeeded() + one.retried() + one.dead();
	}

	/**
	 * Return what each queue did in the past minutes, for its sparkline.
	 */
	JsonNode recent() {
		return remembered("recent", () -> {
			Instant now = this.clock.instant();
			Instant from = floor(now.minus(RECENT).plus(MINUTE), MINUTE);
			Instant current = floor(now, MINUTE);
			int minutes = (int) Duration.between(from, current).toMinutes() + 1;
			double seconds = 60 + Duration.between(current, now).toMillis() / 1000d;
			long succeeded = 0;
			long failed = 0;
			Map<String, long[]> queues = new TreeMap<>();
			for (QueueStatistics one : this.operations.store().statistics(from, now, MINUTE)) {
				int minute = (int) Duration.between(from, one.start()).toMinutes();
				queues.computeIfAbsent(one.queue(), (queue) -> new long[minutes])[minute] += one.succeeded();
				if (!one.start().isBefore(current.minusSeconds(60))) {
					succeeded += one.succeeded();
					failed += one.retried() + one.dead();
				}
			}
			ObjectNode node = JsonNodeFactory.instance.objectNode()
				.put("succeeded", succeeded / seconds)
				.put("failed", failed / seconds);
			ObjectNode each = node.putObject("queues");
			queues.forEach((queue, counts) -> putCounts(each, queue, counts));
			return node;
		});
	}

	/**
	 * Return figures of each queue and of all together, for other programs. Counts cover
	 * two days.
	 * @return the figures
	 */
	public JsonNode stats() {
		return remembered("stats", () -> {
			Instant now = this.clock.instant();
			Map<String, QueueStatistics> sums = new TreeMap<>();
			this.operations.store()
				.statistics(now.minus(Duration.ofDays(2)), now, Duration.ofMinutes(10))
				.forEach((one) -> sums.merge(one.queue(), one, QueueStatistics::plus));
			Map<String, Long> lately = new TreeMap<>();
			this.operations.store()
				.statistics(now.minus(MINUTE), now, MINUTE)
				.forEach((one) -> lately.merge(one.queue(), one.succeeded(), Long::sum));
			double seconds = 60 + Duration.between(floor(now, MINUTE), now).toMillis() / 1000d;
			ObjectNode stats = JsonNodeFactory.instance.objectNode();
			ArrayNode array = stats.putArray("queues");
			Figures total = new Figures(0, 0, 0, 0, 0, 0);
			for (QueueStatus queue : this.operations.queues()) {
				Figures figures = Figures.of(sums.get(queue.name()), queue.waiting() + queue.running(),
						lately.getOrDefault(queue.name(), 0L) / seconds);
				figures.put(array.addObject().put("queue", queue.name()));
				total = total.plus(figures);
			}
			total.put(stats.putObject("totals"));
			return stats;
		});
	}

	private static Instant floor(Instant instant, Duration step) {
		long seconds = instant.getEpochSecond();
		return Instant.ofEpochSecond(seconds - Math.floorMod(seconds, step.toSeconds()));
	}

	/**
	 * Return the actions of operators.
	 * @return the actions, read at most a few seconds ago
	 */
	public Activity activity() {
		return remembered("activity", Activity.class, () -> new Activity(this.operations.store().notes()));
	}

	/**
	 * Forget the readings, because the store has just changed.
	 */
	public void forget() {
		this.readings.clear();
	}

	JsonNode remembered(String key, Supplier<JsonNode> read) {
		return remembered(key, JsonNode.class, read);
	}

	private <T> T remembered(String key, Class<T> type, Supplier<T> read) {
		Instant now = this.clock.instant();
		Reading known = this.readings.get(key);
		if (known != null && Duration.between(known.takenAt(), now).abs().compareTo(FRESH) < 0) {
			return type.cast(known.what());
		}
		T what = read.get();
		this.readings.put(key, new Reading(what, now));
		return what;
	}

	/**
	 * How far back a chart goes, and its steps.
	 */
	private enum Range {

		QUARTER("15m", Duration.ofMinutes(15), MINUTE),

		HOUR("1h", Duration.ofHours(1), MINUTE),

		THREE_HOURS("3h", Duration.ofHours(3), Duration.ofMinutes(3)),

		TWELVE_HOURS("12h", Duration.ofHours(12), Duration.ofMinutes(10)),

		TWO_DAYS("2d", Duration.ofDays(2), Duration.ofMinutes(30));

		private final String text;

		private final Duration length;

		private final Duration step;

		Range(String text, Duration length, Duration step) {
			this.text = text;
			this.length = length;
			this.step = step;
		}

		static Range of(String text) {
			return Stream.of(values())
				.filter((range) -> range.text.equals(text))
				.findFirst()
				.orElseThrow(() -> new IllegalArgumentException("'range' must be 15m, 1h, 3h, 12h or 2d."));
		}

	}

	/**
	 * A reading.
	 *
	 * @param what the value
	 * @param takenAt when it was read
	 */
	private record Reading(Object what, Instant takenAt) {

	}

	/**
	 * Figures of a queue.
	 *
	 * @param pushed jobs enqueued
	 * @param processed jobs that succeeded
	 * @param failed jobs that died
	 * @param retried attempts that failed and were followed by another
	 * @param pending jobs that wait or run now
	 * @param throughput jobs a second, over the last minute
	 */
	private record Figures(long pushed, long processed, long failed, long retried, long pending, double throughput) {

		static Figures of(@Nullable QueueStatistics statistics, long pending, double throughput) {
			return (statistics != null) ? new Figures(statistics.enqueued(), statistics.succeeded(), statistics.dead(),
					statistics.retried(), pending, throughput) : new Figures(0, 0, 0, 0, pending, throughput);
		}

		Figures plus(Figures other) {
			return new Figures(this.pushed + other.pushed, this.processed + other.processed, this.failed + other.failed,
					this.retried + other.retried, this.pending + other.pending, this.throughput + other.throughput);
		}

		void put(ObjectNode node) {
			node.put("pushed", this.pushed)
				.put("processed", this.processed)
				.put("failed", this.failed)
				.put("retried", this.retried)
				.put("pending", this.pending)
				.put("throughput", this.throughput);
		}

	}

	/**
	 * The series of a chart.
	 */
	private static final class Columns {

		private static final List<Integer> PERCENTS = List.of(50, 95, 99);

		private final ArrayNode times;

		private final ArrayNode enqueued;

		private final ArrayNode succeeded;

		private final ArrayNode failed;

		private final ObjectNode waited;

		private final ObjectNode ran;

		Columns(ObjectNode node) {
			this.times = node.putArray("times");
			this.enqueued = node.putArray("enqueued");
			this.succeeded = node.putArray("succeeded");
			this.failed = node.putArray("failed");
			this.waited = node.putObject("waited");
			this.ran = node.putObject("ran");
		}

		void add(Instant start, @Nullable QueueStatistics statistics) {
			this.times.add(start.toString());
			this.enqueued.add((statistics != null) ? statistics.enqueued() : 0);
			this.succeeded.add((statistics != null) ? statistics.succeeded() : 0);
			this.failed.add((statistics != null) ? statistics.retried() + statistics.dead() : 0);
			add(this.waited, (statistics != null) ? statistics.waited() : null);
			add(this.ran, (statistics != null) ? statistics.ran() : null);
		}

		private static void add(ObjectNode node, QueueStatistics.@Nullable Times times) {
			for (int percent : PERCENTS) {
				Duration quantile = (times != null) ? times.quantile(percent / 100d) : null;
				ArrayNode array = node.withArray("/p" + percent);
				if (quantile != null) {
					array.add(quantile.toNanos() / 1_000_000d);
				}
				else {
					array.addNull();
				}
			}
		}

	}

}
