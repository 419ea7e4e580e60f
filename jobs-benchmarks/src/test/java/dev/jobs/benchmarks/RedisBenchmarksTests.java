package dev.jobs.benchmarks;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

import dev.jobs.benchmarks.store.RedisStores;
import io.lettuce.core.RedisClient;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link Benchmarks} on Redis.
 */
class RedisBenchmarksTests {

	private static RedisStores server;

	@BeforeAll
	static void startServer() {
		server = RedisStores.at(null);
	}

	@AfterAll
	static void stopServer() {
		server.close();
	}

	@ParameterizedTest
	@EnumSource(mode = Mode.EXCLUDE, names = { "SCHEDULES", "LANES", "STEPS", "FAIRNESS", "RATE", "BULK_ACTS",
			"RESULTS", "WAITING", "REMOTE", "CALL", "RECOVERY", "FOOTPRINT", "PAGES" })
	void everySuiteMeasuresJobsAndFloor(Suite suite) {
		List<JsonNode> figures = figures(suite.title() + " --jobs 20 --concurrency 2 --seconds 0.1 --running 15");
		assertThat(figures).allSatisfy((figure) -> {
			assertThat(figure.get("suite").asString()).isEqualTo(suite.title());
			assertThat(figure.get("store").asString()).isEqualTo("redis");
			BenchmarksTests.expectPossible(figure);
		});
		assertThat(figures).extracting((figure) -> figure.get("subject").asString()).contains("jobs", "floor");
	}

	/**
	 * The engine beside a loop on the bare driver that does as little as can do the same
	 * work, in turns. It is at about seven tenths. A busy machine may spoil a
	 * measurement, but not each of four.
	 */
	@Test
	void engineRunsJobsAtHalfOfTheSpeedOfTheBareDriverAtLeast() {
		double best = 0;
		for (int i = 0; i < 4 && best < 0.5; i++) {
			best = Math.max(best, median(figures("drain --jobs 10000 --queues 5 --rounds 3"), "ratio", "jobs"));
		}
		assertThat(best).isGreaterThanOrEqualTo(0.5);
	}

	private static double median(List<JsonNode> figures, String metric, String subject) {
		return figures.stream()
			.filter((figure) -> figure.get("metric").asString().equals(metric))
			.filter((figure) -> figure.get("subject").asString().equals(subject))
			.findFirst()
			.orElseThrow(() -> new AssertionError(metric + " is not among " + figures))
			.get("value")
			.asDouble();
	}

	@Test
	void suiteStartsServerOfItsOwnWithoutUrl() {
		assertThat(run("bulk --store redis --jobs 20 --rounds 1")).contains("bulk on redis");
	}

	@Test
	void singleEnqueuesAreComparedWithScriptLoopsAndWithTheStore() {
		List<JsonNode> figures = figures("enqueue --jobs 20");
		assertThat(figures).filteredOn((figure) -> figure.get("metric").asString().equals("ratio"))
			.extracting((figure) -> figure.get("of").asString() + " " + figure.get("unit").asString())
			.containsExactly("1 thread of floor", "1 thread of shared", "1 thread of store", "8 threads of floor",
					"8 threads of shared", "8 threads of store");
	}

	@Test
	void idleCountsCommandsOnServer() {
		Map<String, Double> idle = medians(figures("idle --seconds 5"));
		assertThat(idle.get("commands")).as("a second").isPositive().isLessThan(5);
		assertThat(idle.get("in scripts")).isGreaterThan(idle.get("commands"));
	}

	@Test
	void remoteMeasuresStartsInAnotherProcess() {
		Map<String, Double> remote = medians(figures("remote --jobs 20"));
		assertThat(remote.get("p50")).isPositive().isLessThan(1000);
		assertThat(remote).containsKeys("p99", "max");
	}

	/**
	 * A lease was renewed two thirds of itself ago at most, and is looked at each third.
	 */
	@Test
	void recoveryKillsAndFreezesProcesses() {
		Map<String, Double> recovery = medians(figures("recovery --lease 1.5"));
		assertThat(recovery).containsOnlyKeys("killed", "frozen");
		assertThat(recovery.values()).allSatisfy((seconds) -> assertThat(seconds).isBetween(0.9, 20.0));
	}

	@Test
	void waitingJobsTakeTheBytesThatThePageOnSizingStates() {
		SizingPage.REDIS.expect(medians(figures("footprint --jobs 50000")));
	}

	@Test
	void pagesAreTimed() {
		Map<String, Double> pages = medians(figures("pages --jobs 2000 --seconds 0.1"));
		assertThat(pages).containsKeys("overview, max", "prometheus, p50");
		pages.forEach((page, millis) -> {
			String name = page.substring(0, page.lastIndexOf(','));
			assertThat(pages.get(name + ", p50")).as(name).isBetween(0.01, 10_000.0);
			assertThat(pages.get(name + ", max")).as(name).isBetween(pages.get(name + ", p50"), 60_000.0);
		});
	}

	@Test
	void nothingIsLeftOnServer() {
		figures("drain --jobs 20");
		figures("enqueue --jobs 20");
		try (RedisClient client = RedisClient.create(server.url())) {
			assertThat(client.connect().sync().dbsize()).isZero();
		}
	}

	private static Map<String, Double> medians(List<JsonNode> figures) {
		return figures.stream()
			.filter((figure) -> figure.get("subject").asString().equals("jobs"))
			.filter((figure) -> !figure.get("metric").asString().equals("ratio"))
			.collect(Collectors.toMap((figure) -> figure.get("metric").asString(),
					(figure) -> figure.get("value").asDouble()));
	}

	private static List<JsonNode> figures(String arguments) {
		String rounds = arguments.contains("--rounds") ? "" : " --rounds 1";
		return run(arguments + rounds + " --store redis --json - --url " + server.url()).lines()
			.map((line) -> JsonMapper.shared().readTree(line))
			.toList();
	}

	private static String run(String arguments) {
		ByteArrayOutputStream out = new ByteArrayOutputStream();
		ByteArrayOutputStream err = new ByteArrayOutputStream();
		int status = new Benchmarks(new PrintStream(out, true, StandardCharsets.UTF_8),
				new PrintStream(err, true, StandardCharsets.UTF_8))
			.run(List.of(arguments.split(" ")));
		assertThat(status).as(() -> err.toString(StandardCharsets.UTF_8)).isZero();
		return out.toString(StandardCharsets.UTF_8);
	}

}
