package dev.jobs.benchmarks;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.Statement;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

import dev.jobs.benchmarks.load.StoreJobs;
import dev.jobs.benchmarks.store.PostgresStores;
import dev.jobs.benchmarks.store.StatementLog;
import dev.jobs.benchmarks.store.Stores;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link Benchmarks} on PostgreSQL.
 */
class PostgresBenchmarksTests {

	private static PostgresStores server;

	@BeforeAll
	static void startServer() {
		server = PostgresStores.at(null, new StatementLog(new PrintStream(new ByteArrayOutputStream())));
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
			assertThat(figure.get("store").asString()).isEqualTo("postgres");
			BenchmarksTests.expectPossible(figure);
		});
		assertThat(figures).extracting((figure) -> figure.get("subject").asString()).contains("jobs", "floor");
	}

	@ParameterizedTest
	@ValueSource(strings = { "fsync", "synchronous_commit", "full_page_writes" })
	void serverKeepsWhatWasCommitted(String setting) throws Exception {
		assertThat(answer("show " + setting)).isEqualTo("on");
	}

	@Test
	void drainsBesideScheduledJobsAndSnapshot() {
		assertThat(medians(figures("drain --jobs 20 --scheduled 30 --snapshot")).get("jobs/s")).isPositive();
	}

	@Test
	void latencyIsMeasuredAfterOtherJobsBesideAWriter() {
		assertThat(medians(figures("latency --jobs 20 --passed 30 --writer")).get("p50")).isPositive();
	}

	@Test
	void idleCountsTransactionsOnServer() {
		assertThat(medians(figures("idle --seconds 5")).get("transactions")).as("a second").isPositive().isLessThan(10);
	}

	@Test
	void remoteMeasuresStartsInAnotherProcess() {
		Map<String, Double> remote = medians(figures("remote --jobs 2"));
		assertThat(remote.get("p50")).isPositive();
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
	void statementsAreReported() {
		ByteArrayOutputStream report = new ByteArrayOutputStream();
		try (PostgresStores stores = PostgresStores.at(server.url(), new StatementLog(new PrintStream(report, true)));
				Stores.Opened opened = stores.open()) {
			new StoreJobs(List.of("queue")).enqueue(opened.store(), 0, 3);
		}
		assertThat(report.toString(StandardCharsets.UTF_8)).contains("mean ms").contains("insert into job");
	}

	@Test
	void waitingJobsTakeTheBytesThatThePageOnSizingStates() {
		SizingPage.POSTGRES.expect(medians(figures("footprint --jobs 50000")));
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
	void nothingIsLeftOnServer() throws Exception {
		figures("drain --jobs 20");
		figures("enqueue --jobs 20");
		assertThat(answer("select count(*) from pg_class where relname like 'benchmark%'")).isEqualTo("0");
	}

	private static String answer(String sql) throws Exception {
		try (Connection connection = server.connect();
				Statement statement = connection.createStatement();
				ResultSet row = statement.executeQuery(sql)) {
			row.next();
			return row.getString(1);
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
		ByteArrayOutputStream out = new ByteArrayOutputStream();
		ByteArrayOutputStream err = new ByteArrayOutputStream();
		int status = new Benchmarks(new PrintStream(out, true, StandardCharsets.UTF_8),
				new PrintStream(err, true, StandardCharsets.UTF_8))
			.run(List.of((arguments + " --store postgres --rounds 1 --json - --url " + server.url()).split(" ")));
		assertThat(status).as(() -> err.toString(StandardCharsets.UTF_8)).isZero();
		return out.toString(StandardCharsets.UTF_8).lines().map((line) -> JsonMapper.shared().readTree(line)).toList();
	}

}
