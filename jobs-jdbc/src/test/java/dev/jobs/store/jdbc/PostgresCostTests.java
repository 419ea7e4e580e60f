package dev.jobs.store.jdbc;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.jobs.Job;
import dev.jobs.JobFilter;
import dev.jobs.PageRequest;
import dev.jobs.build.Ports;
import dev.jobs.store.Claim;
import dev.jobs.store.ClaimRequest;
import dev.jobs.store.ClaimRequest.Quota;
import dev.jobs.store.NewJob;
import dev.jobs.store.Transition;
import dev.jobs.store.WorkerBeat;
import dev.jobs.store.contract.process.Ends;
import dev.jobs.store.contract.process.JobsProcess;
import dev.jobs.store.contract.process.WakeUps;
import dev.jobs.store.view.JobInspector;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import org.assertj.core.data.Percentage;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for the engine's load on a PostgreSQL, by that server's own statistics.
 */
class PostgresCostTests {

	private static EmbeddedPostgres server;

	private static String url;

	@TempDir
	private Path directory;

	private final String prefix = TestDatabase.newPrefix();

	private HikariDataSource pool;

	private JdbcTemplate jdbc;

	private JdbcJobStore store;

	@BeforeAll
	static void startServer() throws IOException {
		server = EmbeddedPostgres.builder()
			.setPort(Ports.reserve())
			.setServerConfig("shared_preload_libraries", "pg_stat_statements")
			.setServerConfig("autovacuum", "off")
			.start();
		url = server.getJdbcUrl("postgres", "postgres");
		new JdbcTemplate(new DriverManagerDataSource(url)).execute("create extension pg_stat_statements");
	}

	@AfterAll
	static void stopServer() throws IOException {
		server.close();
	}

	private void open() {
		HikariConfig config = new HikariConfig();
		config.setJdbcUrl(url);
		config.setMaximumPoolSize(6);
		this.pool = new HikariDataSource(config);
		this.jdbc = new JdbcTemplate(this.pool);
		TestDatabase.POSTGRESQL.createTables(this.pool, this.prefix);
		this.store = JdbcJobStore.builder(this.pool)
			.tablePrefix(this.prefix)
			.listen(new DriverManagerDataSource(url))
			.build();
	}

	@AfterEach
	void close() {
		this.store.close();
		this.pool.close();
	}

	private void resetStatistics() {
		this.jdbc.queryForList("select pg_stat_statements_reset()");
	}

	/**
	 * Return what all statements have cost since the statistics were reset.
	 */
	private Cost cost() {
		return this.jdbc.queryForObject(
				"select coalesce(sum(calls), 0), coalesce(sum(rows), 0), coalesce(sum(shared_blks_hit + shared_blks_read), 0)"
						+ " from pg_stat_statements where query not like '%pg_stat_%'",
				(row, number) -> new Cost(row.getLong(1), row.getLong(2), row.getLong(3)));
	}

	@Test
	void idlePoolOfAHundredIsCheapAndStartsJobsOfAnotherProcessAtOnce() throws Exception {
		open();
		WakeUps.expectOfAnIdlePool(this.store,
				() -> JobsProcess.start(this.directory, "server=" + url, "namespace=" + this.prefix, "role=pace"),
				this::resetStatistics, (seconds) -> {
					Cost cost = cost();
					assertThat(cost.statements() / seconds).as("%s", cost).isPositive().isLessThan(7);
				});
	}

	/**
	 * The server would spend seconds on compiling a statement that takes milliseconds.
	 */
	@Test
	void listsAndTheirCountsAreNotCompiled() {
		open();
		JobInspector inspector = this.store.inspector();
		for (Runnable read : List.<Runnable>of(
				() -> inspector.page(JobFilter.all(), PageRequest.newestFirst(9), Instant.now()),
				() -> inspector.count(JobFilter.all(), 9, Instant.now()),
				() -> inspector.count(JobFilter.of((only) -> only.retrying(true)), 9, Instant.now()))) {
			resetStatistics();
			read.run();
			assertThat(this.jdbc.queryForList(
					"select query from pg_stat_statements where query ~ '(set local jit = off|select set_config)'"))
				.isNotEmpty();
		}
	}

	/** An index over two hundred times as many rows is one or two pages deeper. */
	@Test
	void endOfAJobCostsAboutTheSameHoweverManyRunAndWait() {
		open();
		Ends ends = new Ends(this.store);
		Cost few = costOfEnds(ends, 50);
		Cost many = costOfEnds(ends, 10_000);
		// Signals go out after a while, and maybe together.
		assertThat(few.statements()).isPositive();
		assertThat(many.statements()).as("%s, %s", few, many)
			.isCloseTo(few.statements(), Percentage.withPercentage(25));
		assertThat(many.rows()).as("%s, %s", few, many).isLessThan(2 * few.rows());
		assertThat(many.pages()).as("%s, %s", few, many).isLessThan(3 * few.pages());
	}

	@Test
	void claimLooksAtEachFullLaneOnce() {
		open();
		int lanes = 1000;
		Instant now = Instant.parse("2030-01-01T00:00:00Z");
		this.store.enqueue(IntStream.range(0, 2 * lanes)
			.mapToObj((i) -> NewJob.of("job-" + i, "q", new byte[0], now)
				.withHeaders(Map.of(Job.LANE_HEADER, "lane-" + i % lanes)))
			.toList(), now);
		this.store.beat(new WorkerBeat("w", Duration.ofMinutes(1), null, List.of(), false, now));
		Quota quota = Quota.of("q", lanes).withLanes(1, "lane-5");
		assertThat(this.store.claim(new ClaimRequest("w", List.of(quota), lanes, now)).claims()).hasSize(lanes);
		resetStatistics();
		assertThat(this.store.claim(new ClaimRequest("w", List.of(quota), 10, now)).claims()).isEmpty();
		Cost cost = cost();
		assertThat(cost.rows()).as("its running jobs, and its lanes: %s", cost).isLessThan(2500);
	}

	/**
	 * The index of lists was taken for that of lanes where it is less deep.
	 */
	@Test
	void claimReadsNoLaneWhole() {
		open();
		int jobs = 12_000;
		Instant now = Instant.parse("2030-01-01T00:00:00Z");
		for (int from = 0; from < jobs; from += 500) {
			this.store.enqueue(IntStream.range(from, from + 500)
				.mapToObj((i) -> NewJob.of("job-%022d".formatted(i), "reports", new byte[0], now.plusMillis(i / 500))
					.withHeaders(Map.of(Job.LANE_HEADER, "lane-" + i % 10)))
				.toList(), now.plusSeconds(1));
		}
		this.store.beat(new WorkerBeat("w", Duration.ofMinutes(1), null, List.of(), false, now));
		resetStatistics();
		Quota quota = Quota.of("reports", 20).withLanes(0, "lane-0");
		Instant later = now.plusSeconds(1);
		assertThat(this.store.claim(new ClaimRequest("w", List.of(quota), 20, later)).claims()).hasSize(20);
		Cost cost = cost();
		assertThat(cost.pages()).as("%s", cost).isLessThan(jobs / 5);
	}

	@Test
	void claimCostsTheSameHoweverManyLanesAreIdle() {
		open();
		passThroughLanes(0, 3);
		Cost few = costOfAClaimInALane();
		passThroughLanes(3, 3000);
		this.jdbc.execute("vacuum analyze " + this.prefix + "job");
		Cost many = costOfAClaimInALane();
		assertThat(many.rows()).as("%s, %s", few, many).isLessThanOrEqualTo(few.rows());
		assertThat(many.pages()).as("%s, %s", few, many).isLessThan(3 * few.pages());
	}

	private Cost costOfAClaimInALane() {
		passThroughLanes(1, 2);
		resetStatistics();
		passThroughLanes(1, 2);
		return cost();
	}

	/**
	 * Let a job of each of some lanes come and go.
	 */
	private void passThroughLanes(int from, int to) {
		Instant now = Instant.parse("2030-01-01T00:00:00Z");
		int lanes = to - from;
		this.store.enqueue(IntStream.range(from, to)
			.mapToObj((i) -> NewJob.of("job-" + i, "q", new byte[0], now)
				.withHeaders(Map.of(Job.LANE_HEADER, "lane-" + i)))
			.toList(), now);
		this.store.beat(new WorkerBeat("w", Duration.ofMinutes(1), null, List.of(), false, now));
		Quota quota = Quota.of("q", lanes).withLanes(1, "");
		List<Claim> claims = this.store.claim(new ClaimRequest("w", List.of(quota), lanes, now)).claims();
		assertThat(claims).hasSize(lanes);
		this.store.settle(claims.stream().map((claim) -> Transition.removed(claim, now)).toList(), now);
	}

	/**
	 * End four of so many jobs in each way, and return what three of them have cost.
	 */
	private Cost costOfEnds(Ends ends, int running) {
		Iterator<Claim> claims = ends.claim(running);
		this.jdbc.execute("vacuum analyze " + this.prefix + "job");
		ends.endInEachWay(claims);
		resetStatistics();
		for (int i = 0; i < 3; i++) {
			ends.endInEachWay(claims);
		}
		return cost();
	}

	/**
	 * What statements cost.
	 *
	 * @param statements how many there were
	 * @param rows how many rows they changed or returned
	 * @param pages how many pages they looked at
	 */
	private record Cost(long statements, long rows, long pages) {

	}

}
