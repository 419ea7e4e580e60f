package dev.jobs.dashboard;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Supplier;

import dev.jobs.store.JobInspector;
import dev.jobs.store.QueueView;
import dev.jobs.store.Spread;
import dev.jobs.store.Tally;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * What happened in the past, for charts. What was read lately is told again, so that many
 * pages cost no more than one.
 */
final class History {

	private static final Duration FRESH = Duration.ofSeconds(5);

	private static final int KEPT = 64;

	private static final Duration RECENT = Duration.ofMinutes(30);

	private final JobInspector inspector;

	private final InstantSource clock;

	private final Map<String, Reading> readings = Collections.synchronizedMap(new LinkedHashMap<>(16, 0.75f, true) {

		@Override
		protected boolean removeEldestEntry(Map.Entry<String, Reading> eldest) {
			return size() > KEPT;
		}

	});

	History(JobInspector inspector, InstantSource clock) {
		this.inspector = inspector;
		this.clock = clock;
	}

	/**
	 * Return the past of a queue or of all.
	 * @param range how far back: {@code 1h}, {@code 3h}, {@code 12h} or {@code 2d}
	 * @param queue the queue, or {@code null} for all
	 */
	JsonNode of(String range, @Nullable String queue) {
		Duration step = switch (range) {
			case "1h" -> Duration.ofMinutes(1);
			case "3h" -> Duration.ofMinutes(3);
			case "12h" -> Duration.ofMinutes(10);
			case "2d" -> Duration.ofMinutes(30);
			default -> throw RefusedException.badRequest("'range' must be 1h, 3h, 12h or 2d.");
		};
		Duration length = range.equals("2d") ? Duration.ofDays(2)
				: Duration.ofHours(Integer.parseInt(range.substring(0, range.length() - 1)));
		return remembered("history " + range + " " + ((queue != null) ? "of " + queue : ""),
				() -> steps(length.minus(step), step, (queue != null) ? Set.of(queue) : Set.of()));
	}

	private ObjectNode steps(Duration length, Duration step, Set<String> queues) {
		Instant now = this.clock.instant();
		JobInspector.Period period = new JobInspector.Period(now.minus(length), now, step);
		TreeMap<Instant, Tally> sums = new TreeMap<>();
		this.inspector.history(queues, period).forEach((tally) -> sums.merge(tally.start(), tally, Tally::plus));
		ObjectNode node = JsonNodeFactory.instance.objectNode()
			.put("stepSeconds", step.toSeconds())
			.put("lastSeconds", Duration.between(period.stepOf(now), now).toSeconds());
		Columns columns = new Columns(node);
		for (Instant start = period.from(); start.isBefore(period.to()); start = start.plus(step)) {
			columns.add(start, sums.get(start));
		}
		return node;
	}

	/**
	 * Return what each queue did in each of the past minutes, as a line so small needs
	 * it.
	 */
	JsonNode recent() {
		return remembered("recent", () -> {
			Instant now = this.clock.instant();
			JobInspector.Period period = new JobInspector.Period(now.minus(RECENT).plusSeconds(60), now,
					Duration.ofMinutes(1));
			int minutes = (int) Duration.between(period.from(), period.to()).toMinutes();
			Instant current = period.stepOf(now);
			double seconds = 60 + Duration.between(current, now).toMillis() / 1000d;
			long succeeded = 0;
			long failed = 0;
			Map<String, long[]> queues = new TreeMap<>();
			for (Tally tally : this.inspector.history(Set.of(), period)) {
				int minute = (int) Duration.between(period.from(), tally.start()).toMinutes();
				queues.computeIfAbsent(tally.queue(), (queue) -> new long[minutes])[minute] += tally.succeeded();
				if (!tally.start().isBefore(current.minusSeconds(60))) {
					succeeded += tally.succeeded();
					failed += tally.retried() + tally.dead();
				}
			}
			ObjectNode node = JsonNodeFactory.instance.objectNode()
				.put("succeeded", succeeded / seconds)
				.put("failed", failed / seconds);
			ObjectNode each = node.putObject("queues");
			queues.forEach((queue, counts) -> {
				ArrayNode array = each.putArray(queue);
				for (long count : counts) {
					array.add(count);
				}
			});
			return node;
		});
	}

	/**
	 * Return figures of each queue and of all of them, for other programs to read. What
	 * was counted is that of two days.
	 */
	JsonNode stats() {
		return remembered("stats", () -> {
			Instant now = this.clock.instant();
			Map<String, Tally> sums = new TreeMap<>();
			this.inspector
				.history(Set.of(), new JobInspector.Period(now.minus(Duration.ofDays(2)), now, Duration.ofMinutes(10)))
				.forEach((tally) -> sums.merge(tally.queue(), tally, Tally::plus));
			Map<String, Long> lately = new TreeMap<>();
			this.inspector.history(Set.of(), new JobInspector.Period(now.minusSeconds(60), now, Duration.ofMinutes(1)))
				.forEach((tally) -> lately.merge(tally.queue(), tally.succeeded(), Long::sum));
			double seconds = 60 + Duration.between(Tally.Span.MINUTE.startOf(now), now).toMillis() / 1000d;
			ObjectNode stats = JsonNodeFactory.instance.objectNode();
			ArrayNode array = stats.putArray("queues");
			Figures total = new Figures(0, 0, 0, 0, 0, 0);
			for (QueueView queue : this.inspector.queues(now)) {
				Figures figures = Figures.of(sums.get(queue.name()), queue.waiting() + queue.running(),
						lately.getOrDefault(queue.name(), 0L) / seconds);
				figures.put(array.addObject().put("queue", queue.name()));
				total = total.plus(figures);
			}
			total.put(stats.putObject("totals"));
			return stats;
		});
	}

	private JsonNode remembered(String key, Supplier<ObjectNode> read) {
		Instant now = this.clock.instant();
		Reading known = this.readings.get(key);
		if (known != null && Duration.between(known.takenAt(), now).abs().compareTo(FRESH) < 0) {
			return known.node();
		}
		JsonNode node = read.get();
		this.readings.put(key, new Reading(node, now));
		return node;
	}

	/**
	 * What was read.
	 *
	 * @param node it
	 * @param takenAt when
	 */
	private record Reading(JsonNode node, Instant takenAt) {

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

		static Figures of(@Nullable Tally tally, long pending, double throughput) {
			return (tally != null) ? new Figures(tally.enqueued(), tally.succeeded(), tally.dead(), tally.retried(),
					pending, throughput) : new Figures(0, 0, 0, 0, pending, throughput);
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
	 * The lists that a chart draws.
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

		void add(Instant start, @Nullable Tally tally) {
			this.times.add(start.toString());
			this.enqueued.add((tally != null) ? tally.enqueued() : 0);
			this.succeeded.add((tally != null) ? tally.succeeded() : 0);
			this.failed.add((tally != null) ? tally.retried() + tally.dead() : 0);
			add(this.waited, (tally != null) ? tally.waited() : Spread.EMPTY);
			add(this.ran, (tally != null) ? tally.ran() : Spread.EMPTY);
		}

		private static void add(ObjectNode node, Spread spread) {
			for (int percent : PERCENTS) {
				Duration quantile = spread.quantile(percent / 100d);
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
