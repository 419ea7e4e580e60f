package dev.jobs.benchmarks;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link Benchmarks}.
 */
class BenchmarksTests {

	private final ByteArrayOutputStream out = new ByteArrayOutputStream();

	private final ByteArrayOutputStream err = new ByteArrayOutputStream();

	@ParameterizedTest
	@EnumSource(mode = Mode.EXCLUDE, names = { "SCHEDULES", "LANES", "STEPS", "FAIRNESS", "RATE", "BULK_ACTS",
			"RESULTS", "WAITING", "REMOTE", "CALL", "RECOVERY", "FOOTPRINT", "PAGES" })
	void everySuitePrintsJsonLinesForJobsAndFloor(Suite suite) {
		assertThat(run(suite.title() + " --jobs 20 --concurrency 2 --rounds 1 --seconds 0.1 --json -")).isZero();
		List<JsonNode> figures = this.out.toString(StandardCharsets.UTF_8).lines().map(this::parsed).toList();
		assertThat(figures).allSatisfy((figure) -> {
			assertThat(figure.get("suite").asString()).isEqualTo(suite.title());
			assertThat(figure.get("store").asString()).isEqualTo("memory");
			expectPossible(figure);
			assertThat(figure.get("unit").asString()).isNotEmpty();
		});
		assertThat(figures).extracting((figure) -> figure.get("subject").asString()).contains("jobs", "floor");
	}

	/**
	 * Expect a median between the least and the most of its rounds, and nothing that no
	 * machine can be: a job takes a tenth of a microsecond at least, and a minute at
	 * most.
	 */
	static void expectPossible(JsonNode figure) {
		double value = figure.get("value").asDouble();
		assertThat(value).as("%s", figure).isBetween(figure.get("min").asDouble(), figure.get("max").asDouble());
		switch (figure.get("unit").asString()) {
			case "jobs/s" -> assertThat(value).as("%s", figure).isBetween(1 / 60.0, 1e7);
			case "ms" -> assertThat(value).as("%s", figure).isBetween(0.0, 60_000.0);
			default -> assertThat(value).as("%s", figure).isNotNegative().isFinite();
		}
	}

	@ParameterizedTest
	@EnumSource(names = { "LANES", "FAIRNESS", "BULK_ACTS", "WAITING" })
	void suiteWithoutAFloorMeasures(Suite suite) {
		assertThat(run(suite.title() + " --jobs 20 --concurrency 2 --rounds 1 --json -")).isZero();
		assertThat(this.out.toString(StandardCharsets.UTF_8).lines().map(this::parsed)).hasSizeGreaterThan(5)
			.allSatisfy(BenchmarksTests::expectPossible);
	}

	@Test
	void rateIsNeverExceeded() {
		assertThat(run("rate --jobs 40 --concurrency 2 --rounds 1 --json -")).isZero();
		assertThat(this.out.toString(StandardCharsets.UTF_8).lines().map(this::parsed)).hasSize(2)
			.allSatisfy(BenchmarksTests::expectPossible)
			.allSatisfy((figure) -> assertThat(figure.get("max").asDouble()).isLessThanOrEqualTo(1));
	}

	@Test
	void stepsAreSaved() {
		assertThat(run("steps --jobs 20 --concurrency 2 --rounds 1 --json -")).isZero();
		assertThat(this.out.toString(StandardCharsets.UTF_8).lines().map(this::parsed)).singleElement()
			.satisfies((figure) -> assertThat(figure.get("value").asDouble()).isPositive());
	}

	@Test
	void manyWaitForResults() {
		assertThat(run("results --jobs 20 --concurrency 2 --rounds 1 --seconds 0.1 --json -")).isZero();
		assertThat(this.out.toString(StandardCharsets.UTF_8).lines().map(this::parsed))
			.extracting((figure) -> figure.get("metric").asString())
			.contains("store calls with 10", "store calls with 20", "told");
	}

	@Test
	void scheduledJobsAreNeverEarly() {
		run("scheduled --jobs 100 --rounds 1 --seconds 0.1 --json -");
		assertThat(this.out.toString(StandardCharsets.UTF_8).lines().map(this::parsed))
			.filteredOn((figure) -> figure.get("metric").asString().equals("early"))
			.filteredOn((figure) -> figure.get("subject").asString().equals("jobs"))
			.singleElement()
			.satisfies((figure) -> assertThat(figure.get("max").asDouble()).isZero());
	}

	@Test
	void schedulesAreIdleAndThenTickAllAtOnce() {
		assertThat(run("schedules --jobs 20 --concurrency 2 --rounds 1 --seconds 0.1 --json -")).isZero();
		List<JsonNode> figures = this.out.toString(StandardCharsets.UTF_8).lines().map(this::parsed).toList();
		assertThat(figures).allSatisfy(BenchmarksTests::expectPossible)
			.extracting((figure) -> figure.get("metric").asString())
			.contains("store calls without any", "store calls with all", "puts", "p99");
	}

	@Test
	void tableGoesToOutAndJsonToItsFile(@TempDir Path directory) throws Exception {
		Path file = directory.resolve("figures.json");
		assertThat(run("drain --jobs 20 --rounds 1 --json " + file)).isZero();
		assertThat(this.out.toString(StandardCharsets.UTF_8)).contains("drain on memory").contains("ratio");
		try (Stream<String> lines = Files.lines(file)) {
			assertThat(lines.map(this::parsed)).extracting((figure) -> figure.get("metric").asString())
				.containsExactly("jobs/s", "jobs/s", "ratio");
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "", "fly", "--jobs 5", "drain --jobs", "drain --jobs many", "drain --jobs 0",
			"drain --speed 5", "drain --seconds -1", "drain --store tape", "drain --url redis://localhost", "remote",
			"recovery", "footprint", "pages", "recovery --store redis --lease 0", "drain --store redis --url nowhere",
			"drain --store postgres --url nowhere", "drain --snapshot", "latency --writer" })
	void wrongArgumentsGiveUsageAndStatusTwo(String arguments) {
		assertThat(run(arguments)).isEqualTo(2);
		assertThat(this.err.toString(StandardCharsets.UTF_8)).contains("Usage:").doesNotContain("\tat ");
		assertThat(this.out.size()).isZero();
	}

	@Test
	void postgresThatDoesNotAnswerIsNamed() {
		assertThat(run("drain --store postgres --url jdbc:postgresql://127.0.0.1:1/db")).isEqualTo(2);
		assertThat(this.err.toString(StandardCharsets.UTF_8))
			.contains("No PostgreSQL answers at jdbc:postgresql://127.0.0.1:1/db");
	}

	@Test
	void redisThatDoesNotAnswerIsNamed() {
		assertThat(run("drain --store redis --url redis://127.0.0.1:1")).isEqualTo(2);
		assertThat(this.err.toString(StandardCharsets.UTF_8)).contains("No Redis answers at redis://127.0.0.1:1");
	}

	@Test
	void helpGoesToOut() {
		assertThat(run("--help")).isZero();
		assertThat(this.out.toString(StandardCharsets.UTF_8)).startsWith("Usage:");
	}

	private int run(String arguments) {
		Benchmarks benchmarks = new Benchmarks(new PrintStream(this.out, true, StandardCharsets.UTF_8),
				new PrintStream(this.err, true, StandardCharsets.UTF_8));
		return benchmarks.run(arguments.isEmpty() ? List.of() : List.of(arguments.split(" ")));
	}

	private JsonNode parsed(String line) {
		return JsonMapper.shared().readTree(line);
	}

}
