package dev.jobs.test.jdbc;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.IntStream;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.jobs.JobResult;
import dev.jobs.Trail;
import dev.jobs.engine.HandlerDefinition;
import dev.jobs.engine.JobEngine;
import dev.jobs.store.Claim;
import dev.jobs.store.ClaimRequest;
import dev.jobs.store.ClaimRequest.Quota;
import dev.jobs.store.NewJob;
import dev.jobs.store.Settled;
import dev.jobs.store.Transition;
import dev.jobs.store.WorkerBeat;
import dev.jobs.store.WorkerInfo;
import dev.jobs.store.jdbc.JdbcJobStore;
import dev.jobs.test.process.JobsProcess;
import dev.jobs.test.process.WakeUps;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import org.assertj.core.data.Percentage;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for what the engine asks of a PostgreSQL, by that server's own statistics.
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

	/** G67, L06, K35. */
	@Test
	void idlePoolOfAHundredIsCheapAndStartsJobsOfAnotherProcessAtOnce() throws Exception {
		open();
		WakeUps wakeUps = new WakeUps();
		JobEngine.Builder builder = JobEngine.builder(this.store).concurrency(100).handler(wakeUps.handler());
		for (int i = 0; i < 4; i++) {
			builder.handler(HandlerDefinition.of("queue-" + i, Object.class, (payload, context) -> JobResult.done()));
		}
		JobEngine engine = builder.build();
		engine.start();
		try (JobsProcess producer = JobsProcess.start(this.directory, "server=" + url, "namespace=" + this.prefix,
				"role=pace")) {
			producer.await("up");
			wakeUps.awaitOne();
			resetStatistics();
			long from = System.nanoTime();
			Awaitility.await()
				.atMost(Duration.ofSeconds(60))
				.until(() -> System.nanoTime() - from > Duration.ofSeconds(20).toNanos());
			Cost cost = cost();
			assertThat(cost.statements() / ((System.nanoTime() - from) / 1e9)).as("%s", cost)
				.isPositive()
				.isLessThan(5);
			wakeUps.expectStartsAtOnce(producer);
		}
		finally {
			engine.stopNow();
		}
	}

	/** K34: an index over two hundred times as many rows is one or two pages deeper. */
	@Test
	void endOfAJobCostsAboutTheSameHoweverManyRunAndWait() {
		open();
		Instant now = Instant.now();
		WorkerInfo info = new WorkerInfo("host", 1, "", now, List.of(new WorkerInfo.Pool("p", 1, 0, List.of("q"))),
				List.of());
		this.store.beat(new WorkerBeat("w", Duration.ofHours(1), info, List.of(), false, now));
		Cost few = costOfEnds(claim(50, now), now);
		Cost many = costOfEnds(claim(10_000, now), now);
		// Signals go out after a while, and maybe together.
		assertThat(few.statements()).isPositive();
		assertThat(many.statements()).as("%s, %s", few, many)
			.isCloseTo(few.statements(), Percentage.withPercentage(25));
		assertThat(many.rows()).as("%s, %s", few, many).isLessThan(2 * few.rows());
		assertThat(many.pages()).as("%s, %s", few, many).isLessThan(3 * few.pages());
	}

	/**
	 * Enqueue twice as many jobs and claim half of them.
	 */
	private List<Claim> claim(int count, Instant now) {
		for (int i = 0; i < 2 * count; i += 100) {
			this.store.enqueue(IntStream.range(i, i + 100)
				.mapToObj(
						(j) -> new NewJob(UUID.randomUUID().toString(), "q", new byte[0], Map.of(), now, now, null, 0))
				.toList(), now);
		}
		List<Claim> claims = new ArrayList<>();
		while (claims.size() < count) {
			int most = Math.min(500, count - claims.size());
			claims.addAll(this.store.claim(new ClaimRequest("w", List.of(new Quota("q", most, most, 0)), most, now))
				.claims());
		}
		return claims;
	}

	/**
	 * End four jobs of those in the middle in each way, and return what that has cost.
	 */
	private Cost costOfEnds(List<Claim> claims, Instant now) {
		this.jdbc.execute("vacuum analyze " + this.prefix + "job");
		Iterator<Claim> middle = claims.listIterator(claims.size() / 2);
		endInEachWay(middle, now);
		resetStatistics();
		for (int i = 0; i < 3; i++) {
			endInEachWay(middle, now);
		}
		return cost();
	}

	private void endInEachWay(Iterator<Claim> claims, Instant now) {
		for (Transition transition : List.of(Transition.removed(claims.next(), now),
				Transition.kept(claims.next(), now),
				Transition.scheduled(claims.next(), now.plusSeconds(60), Trail.EMPTY),
				Transition.released(claims.next(), now, Trail.EMPTY),
				Transition.dead(claims.next(), now, Trail.EMPTY))) {
			assertThat(this.store.settle(List.of(transition), now)).containsExactly(Settled.APPLIED);
		}
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
