package dev.jobs.dashboard;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;

import dev.jobs.JobClient;
import dev.jobs.JobRequest;
import dev.jobs.operations.JobOperations;
import dev.jobs.store.JobStore;
import dev.jobs.store.WorkerBeat;
import dev.jobs.store.view.JobInspector;
import dev.jobs.store.view.Tally;
import dev.jobs.test.ExpectsFaults;
import dev.jobs.test.SettableClock;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

import org.springframework.boot.WebApplicationType;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.awaitility.Awaitility.await;

/**
 * Tests for the numbers of the dashboard, by known traffic.
 */
@ExpectsFaults("failing with")
class FiguresTests {

	private static final Instant BEGIN = Instant.parse("2026-01-01T00:00:28Z");

	private final Server server = Server.start(WebApplicationType.SERVLET, Application.class,
			"jobs.dashboard.access=operate", "jobs.handlers.fail.max-attempts=2",
			"jobs.handlers.fail.backoff.type=fixed", "jobs.handlers.fail.backoff.delay=2s", "jobs.worker.beat=200ms",
			"jobs.worker.poll=200ms");

	private final SettableClock clock = this.server.bean(SettableClock.class);

	private final JobClient client = this.server.bean(JobClient.class);

	/** Nine succeed, two wait for an hour, and three fail; the clock stands still. */
	@BeforeEach
	void work() {
		this.client.enqueueAll(IntStream.range(0, 9).mapToObj((i) -> JobRequest.named("nightly")).toList());
		this.client
			.enqueueAll(IntStream.range(0, 3).mapToObj((i) -> JobRequest.named("fail").payload("no paper")).toList());
		this.client.enqueue("nightly", (options) -> options.delay(Duration.ofHours(1)));
		this.client.enqueue("nightly", (options) -> options.delay(Duration.ofHours(1)));
		awaitCounted(9, 3, 0);
	}

	@AfterEach
	void stop() {
		this.server.close();
	}

	private void awaitCounted(long succeeded, long retried, long dead) {
		JobInspector inspector = this.server.bean(JobInspector.class);
		JobInspector.Period period = new JobInspector.Period(BEGIN.minus(Duration.ofHours(1)),
				BEGIN.plus(Duration.ofHours(1)), Duration.ofMinutes(1));
		await().atMost(Duration.ofSeconds(30)).untilAsserted(() -> {
			List<Tally> tallies = inspector.statistics(Set.of(), period);
			assertThat(tallies.stream().mapToLong(Tally::succeeded).sum()).isEqualTo(succeeded);
			assertThat(tallies.stream().mapToLong(Tally::retried).sum()).isEqualTo(retried);
			assertThat(tallies.stream().mapToLong(Tally::dead).sum()).isEqualTo(dead);
			assertThat(tallies.stream().mapToLong(Tally::enqueued).sum()).isEqualTo(14);
		});
	}

	private void die() {
		this.clock.advance(Duration.ofSeconds(2));
		awaitCounted(9, 3, 3);
	}

	private static JsonNode named(JsonNode list, String field, String name) {
		return list.valueStream().filter((it) -> it.path(field).asString().equals(name)).findFirst().orElseThrow();
	}

	private static void isEqual(JsonNode figures, Map<String, Long> numbers, double throughput) {
		numbers.forEach((name, number) -> assertThat(figures.path(name).asLong(-1)).as(name).isEqualTo(number));
		assertThat(figures.path("throughput").asDouble(-1)).isCloseTo(throughput, within(1e-9));
	}

	@Test
	void statsAreThoseOfWhatWasDone() {
		die();
		JsonNode stats = this.server.json("/api/stats");
		isEqual(named(stats.path("queues"), "queue", "nightly"),
				Map.of("pushed", 11L, "processed", 9L, "failed", 0L, "retried", 0L, "pending", 2L), 0.1);
		isEqual(named(stats.path("queues"), "queue", "fail"),
				Map.of("pushed", 3L, "processed", 0L, "failed", 3L, "retried", 3L, "pending", 0L), 0);
		isEqual(stats.path("totals"),
				Map.of("pushed", 14L, "processed", 9L, "failed", 3L, "retried", 3L, "pending", 2L), 0.1);
		this.clock.advance(Duration.ofMinutes(3));
		isEqual(this.server.json("/api/stats").path("totals"), Map.of("pushed", 14L, "processed", 9L), 0);
	}

	@Test
	void concurrentReadersShareOneAnswer() {
		String stats = this.server.get("/api/stats").body();
		ExecutorService threads = Executors.newFixedThreadPool(50);
		try {
			List<CompletableFuture<String>> answers = IntStream.range(0, 200)
				.mapToObj((i) -> CompletableFuture.supplyAsync(() -> this.server.get("/api/stats").body(), threads))
				.toList();
			assertThat(answers).allSatisfy((answer) -> assertThat(answer.join()).isEqualTo(stats));
		}
		finally {
			threads.shutdown();
		}
	}

	@Test
	void whatOperatorsDidIsReadOnceForAllPagesForSomeSeconds() {
		JobOperations operations = this.server.bean(JobOperations.class);
		operations.store().note("first");
		assertThat(notes()).containsExactly("first");
		operations.store().note("second");
		this.clock.advance(Duration.ofSeconds(4));
		assertThat(notes()).containsExactly("first");
		this.clock.advance(Duration.ofSeconds(1));
		assertThat(notes()).containsExactly("second", "first");
		this.server.act("pause", "{\"queue\":\"nightly\"}");
		assertThat(notes()).containsExactly("queue nightly", "second", "first");
		assertThat(this.server.json("/api/statistics").path("marks").toString()).contains("queue nightly");
	}

	/** Returns what was noted, but for versions that began to work. */
	private List<String> notes() {
		return this.server.json("/api/activity")
			.path("notes")
			.valueStream()
			.map((note) -> note.path("target").asString())
			.filter((target) -> !target.startsWith("version "))
			.toList();
	}

	@Test
	void rateOfTheOverviewIsThatOfTheLastMinuteAndTheOneUnderWay() {
		die();
		JsonNode recent = this.server.json("/api/overview").path("recent");
		assertThat(recent.path("succeeded").asDouble(-1)).isCloseTo(9 / 90.0, within(1e-9));
		assertThat(recent.path("failed").asDouble(-1)).isCloseTo(6 / 90.0, within(1e-9));
	}

	@Test
	void statisticsHaveWhatWasDoneInTheirMinute() {
		die();
		JsonNode statistics = this.server.json("/api/statistics?range=1h");
		assertThat(statistics.path("stepSeconds").asInt()).isEqualTo(60);
		assertThat(statistics.path("lastSeconds").asInt()).isEqualTo(30);
		assertThat(statistics.path("times").path(59).asString()).isEqualTo("2026-01-01T00:00:00Z");
		assertThat(numbers(statistics.path("enqueued"))).hasSize(60).endsWith(0L, 14L).containsOnly(0L, 14L);
		assertThat(numbers(statistics.path("succeeded"))).hasSize(60).endsWith(0L, 9L).containsOnly(0L, 9L);
		assertThat(numbers(statistics.path("failed"))).hasSize(60).endsWith(0L, 6L).containsOnly(0L, 6L);
		JsonNode queue = named(this.server.json("/api/overview").path("queues"), "name", "nightly");
		assertThat(numbers(queue.path("succeeded"))).endsWith(0L, 9L).containsOnly(0L, 9L);
	}

	@Test
	void statisticsOfEachQueueAddUpToThatOfAll() {
		die();
		for (String range : List.of("15m", "1h", "3h", "12h", "2d")) {
			JsonNode statistics = this.server.json("/api/statistics?by=queue&range=" + range);
			assertThat(numbers(named(statistics.path("queues"), "name", "nightly").path("attempts"))).as(range)
				.hasSameSizeAs(statistics.path("times"))
				.endsWith(0L, 9L);
			assertThat(numbers(named(statistics.path("queues"), "name", "fail").path("attempts"))).as(range)
				.endsWith(0L, 6L);
		}
		assertThat(this.server.json("/api/statistics?range=15m").path("times")).hasSize(15);
		assertThat(this.server.json("/api/statistics").has("queues")).isFalse();
		assertThat(this.server.get("/api/statistics?range=20m").statusCode()).isEqualTo(400);
	}

	@Test
	void statisticsOfManyQueuesHaveTheBusiestAndTheSumOfTheOthers() {
		List<Tally> tallies = IntStream.rangeClosed(1, 11).mapToObj((i) -> {
			long[] cells = new long[Tally.CELLS];
			cells[1] = i * 100L;
			return Tally.of("many-" + i, BEGIN, cells);
		}).toList();
		this.server.bean(JobStore.class)
			.beat(new WorkerBeat("other", Duration.ofSeconds(10), null, List.of(), new WorkerBeat.Report(1, tallies),
					false, BEGIN));
		JsonNode queues = this.server.json("/api/statistics?by=queue&range=15m").path("queues");
		assertThat(queues).hasSize(9);
		assertThat(queues.path(0).path("name").asString()).isEqualTo("many-11");
		// Those of three queues, and of the two that have worked before.
		assertThat(queues.path(8).path("others").asInt()).isEqualTo(5);
		assertThat(numbers(queues.path(8).path("attempts"))).endsWith(0L, 600L + 9 + 3);
	}

	private static List<Long> numbers(JsonNode array) {
		return array.valueStream().map(JsonNode::asLong).toList();
	}

	@Test
	void countsAreDisjointAndAFailedJobShowsItsNextAttempt() {
		JsonNode overview = this.server.json("/api/overview");
		JsonNode fail = named(overview.path("queues"), "name", "fail");
		assertThat(List.of(fail.path("ready").asLong(), fail.path("scheduled").asLong(), fail.path("retrying").asLong(),
				fail.path("running").asLong(), fail.path("dead").asLong()))
			.containsExactly(0L, 0L, 3L, 0L, 0L);
		JsonNode totals = overview.path("totals");
		assertThat(List.of(totals.path("ready").asLong(), totals.path("scheduled").asLong(),
				totals.path("retrying").asLong(), totals.path("running").asLong(), totals.path("dead").asLong()))
			.containsExactly(0L, 2L, 3L, 0L, 0L);
		assertThat(this.server.json("/api/jobs?state=scheduled").path("count").path("number").asLong()).isEqualTo(2);
		assertThat(this.server.json("/api/jobs?state=scheduled,retrying").path("count").path("number").asLong())
			.isEqualTo(5);
		JsonNode retrying = this.server.json("/api/jobs?state=retrying");
		assertThat(retrying.path("count").path("number").asLong()).isEqualTo(3);
		for (JsonNode job : retrying.path("jobs")) {
			assertThat(job.path("attempt").asInt()).isEqualTo(2);
			assertThat(job.path("createdAt").asString()).isEqualTo(BEGIN.toString());
			assertThat(job.path("dueAt").asString()).isEqualTo(BEGIN.plusSeconds(2).toString());
			assertThat(job.path("error").asString()).contains("no paper");
		}
		assertThat(this.server.json("/api/jobs?state=scheduled").path("jobs").path(0).path("attempt").asInt()).isOne();
		assertThat(this.server.get("/api/jobs?state=ready,scheduled").statusCode()).isEqualTo(400);
		die();
		for (JsonNode job : this.server.json("/api/jobs?state=dead").path("jobs")) {
			assertThat(job.path("endedAt").asString()).isEqualTo(BEGIN.plusSeconds(2).toString());
			assertThat(job.path("createdAt").asString()).isEqualTo(BEGIN.toString());
		}
	}

	@Test
	void overviewOfVeryManyQueuesStaysSmallAndTheOthersAreFound() {
		this.client
			.enqueueAll(IntStream.range(0, 1500).mapToObj((i) -> JobRequest.named("a-queue-of-many-" + i)).toList());
		this.client.enqueueAll(List.of(JobRequest.named("a-queue-of-many-77"), JobRequest.named("a-queue-of-many-77")));
		this.clock.advance(Duration.ofMillis(2));
		await().atMost(Duration.ofSeconds(30))
			.until(() -> this.server.json("/api/overview").path("queueCount").asInt() >= 1502);
		JsonNode overview = this.server.json("/api/overview");
		assertThat(overview.toString().length()).isLessThan(100_000);
		assertThat(overview.path("totals").path("ready").asInt()).isEqualTo(1502);
		JsonNode alert = overview.path("alerts").path(0);
		assertThat(alert.path("queueCount").asInt()).isEqualTo(1500);
		assertThat(alert.path("text").asString()).isEqualTo("1,502 jobs in 1,500 queues have no worker");
		assertThat(alert.path("queues").valueStream().map((queue) -> queue.path("name").asString())).hasSize(20)
			.contains("a-queue-of-many-77");
		assertThat(overview.path("queues").valueStream().map((queue) -> queue.path("name").asString())).hasSize(200)
			.contains("a-queue-of-many-77", "fail", "nightly");
		JsonNode found = this.server.json("/api/queues?name=A-queue-of-many-1499");
		assertThat(found.path("count").asInt()).isOne();
		assertThat(found.path("queues").path(0).path("ready").asInt()).isOne();
		JsonNode many = this.server.json("/api/queues?name=a-queue-of-many-7");
		assertThat(many.path("queues").path(0).path("name").asString()).isEqualTo("a-queue-of-many-7");
		assertThat(many.path("count").asInt()).isEqualTo(111);
		assertThat(this.server.json("/api/queues?name=nightly").path("workers").size()).isOne();
	}

	/**
	 * An application whose time is set.
	 */
	@Configuration(proxyBeanMethods = false)
	@Import(Applications.Servlet.class)
	static class Application {

		@Bean
		SettableClock clock() {
			return SettableClock.at(BEGIN);
		}

	}

}
