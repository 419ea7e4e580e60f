package dev.jobs.store.jdbc;

import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.stream.IntStream;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.jobs.store.Claim;
import dev.jobs.store.ClaimRequest;
import dev.jobs.store.JobStore;
import dev.jobs.store.NewJob;
import dev.jobs.store.TakeOver;
import dev.jobs.store.Transition;
import dev.jobs.store.WorkerBeat;
import dev.jobs.store.view.WorkerInfo;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import org.springframework.jdbc.core.JdbcTemplate;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for the reads of PostgreSQL during a long foreign transaction, which keeps the
 * entries of all jobs that ever ran in the indexes.
 */
class PostgresOldSnapshotTests {

	private static final int ROUNDS = 24;

	private static final int BATCH = 500;

	private final JobStore tables = TestDatabase.POSTGRESQL.createStore();

	private final String prefix = TestDatabase.POSTGRESQL.prefix(this.tables);

	/** One connection, since each tells its statistics by itself. */
	private final HikariDataSource pool = pool();

	private final JobStore store = JdbcJobStore.builder(this.pool).tablePrefix(this.prefix).build();

	private final JdbcTemplate jdbc = new JdbcTemplate(this.pool);

	private Instant now = Instant.parse("2030-01-01T00:00:00Z");

	private AutoCloseable begun;

	LongTransaction other() {
		return LongTransaction.READS;
	}

	private static HikariDataSource pool() {
		HikariConfig config = new HikariConfig();
		config.setJdbcUrl(TestDatabase.POSTGRESQL.connectionUrl());
		config.setMaximumPoolSize(1);
		return new HikariDataSource(config);
	}

	@BeforeEach
	void runManyJobsMeanwhile() throws SQLException {
		beat();
		this.begun = other().begin(this.prefix);
		for (int round = 0; round < ROUNDS; round++) {
			enqueue(BATCH);
			settle(claim(BATCH));
		}
		enqueue(1);
		assertThat(claim(1)).hasSize(1);
		beat();
		beat();
	}

	@AfterEach
	void destroyStore() throws Exception {
		this.begun.close();
		this.pool.close();
		TestDatabase.POSTGRESQL.destroyStore(this.tables);
	}

	private void beat() {
		this.store.beat(new WorkerBeat("w", Duration.ofHours(1), null, List.of(), false, this.now));
	}

	private void enqueue(int count) {
		this.store.enqueue(IntStream.range(0, count)
			.mapToObj((i) -> NewJob.of(UUID.randomUUID().toString(), "q", new byte[0], this.now))
			.toList(), this.now);
	}

	private void settle(List<Claim> claims) {
		this.store.settle(claims.stream().map((claim) -> Transition.removed(claim, this.now)).toList(), this.now);
	}

	private List<Claim> claim(int count) {
		return claim(count, 0);
	}

	private List<Claim> claim(int count, int maxRunning) {
		return this.store
			.claim(new ClaimRequest("w", List.of(ClaimRequest.Quota.of("q", count).withMaxRunning(maxRunning)), count,
					this.now))
			.claims();
	}

	/**
	 * Return how many entries of the index of running jobs a call reads.
	 */
	private long readBy(Runnable call) {
		return readBy("job_running", call);
	}

	private long readBy(String index, Runnable call) {
		long before = read(index);
		call.run();
		return read(index) - before;
	}

	private long read(String index) {
		this.jdbc.queryForList("select pg_stat_force_next_flush()");
		return this.jdbc.queryForObject("select sum(idx_tup_read) from pg_stat_user_indexes where indexrelname like ?",
				Long.class, this.prefix + index);
	}

	@Test
	void beatReadsTheRunningJobsOnly() {
		for (int i = 0; i < 100; i++) {
			enqueue(1);
			settle(claim(1));
		}
		this.jdbc.execute("analyze " + this.prefix + "job, " + this.prefix + "delivery");
		assertThat(readBy(this::beat)).isPositive().isLessThan(BATCH);
	}

	/**
	 * What runs since long ago lies below all that came later.
	 */
	@Test
	void deletedDeliveriesAreNotRead() {
		for (int i = 0; i < BATCH; i++) {
			enqueue(1);
			settle(claim(1));
		}
		IntStream.range(0, 4).forEach((i) -> beat());
		takeOver("w");
		assertThat(readBy("delivery_%", this::beat)).isPositive().isLessThan(20);
		assertThat(readBy("delivery_%", () -> takeOver("w"))).isLessThan(20);
		assertThat(readBy("delivery_%", () -> {
			assertThat(this.store.inspector().queues(this.now).get(0).running()).isOne();
			assertThat(this.store.inspector().workers(this.now).get(0).running()).isOne();
		})).isPositive().isLessThan(20);
	}

	/**
	 * A list of workers was once planned by statistics of a moment without jobs.
	 */
	@Test
	void listOfWorkersReadsTheRunningJobsOnly() {
		this.jdbc.execute("analyze " + this.prefix + "job, " + this.prefix + "delivery");
		assertThat(readBy(() -> assertThat(this.store.inspector().workers(this.now).get(0).running()).isOne()))
			.isPositive()
			.isLessThan(BATCH);
	}

	@Test
	void beatReadsNoJobsOfKnownQueues() {
		WorkerInfo.Pool pool = new WorkerInfo.Pool("p", 1, 0, List.of("q"));
		WorkerInfo info = new WorkerInfo("host", 1, "1", this.now, List.of(pool), List.of());
		for (String worker : List.of("w", "idle")) {
			WorkerBeat beat = new WorkerBeat(worker, Duration.ofHours(1), info, List.of(), false, this.now);
			assertThat(readBy("job_ready", () -> IntStream.range(0, 2).forEach((i) -> this.store.beat(beat)))).isZero();
		}
	}

	@Test
	void processThatStartsBeginsWhereOthersKnowAQueueToBeEmpty() {
		enqueue(20);
		for (int i = 1; i <= 10; i++) {
			this.now = this.now.plusMillis(250);
			assertThat(claim(1)).hasSize(1);
		}
		takeOver("w");
		JobStore started = JdbcJobStore.builder(this.pool).tablePrefix(this.prefix).build();
		assertThat(readBy("job_ready", () -> assertThat(
				started.claim(new ClaimRequest("w", List.of(ClaimRequest.Quota.of("q", 1)), 1, this.now)).claims())
			.hasSize(1))).isPositive().isLessThan(BATCH);
	}

	private void takeOver(String worker) {
		this.store.takeOver(new TakeOver(worker, Set.of("q"), Map.of(), 10, this.now));
	}

	@Test
	void claimOfALimitedQueueReadsTheRunningJobsOnly() {
		enqueue(1);
		assertThat(readBy(() -> assertThat(claim(1, 2)).hasSize(1))).isPositive().isLessThan(BATCH);
	}

	@Test
	void rescueReadsTheJobsOfTheVanishedOnly() {
		Instant later = this.now.plus(Duration.ofHours(2));
		this.store.beat(new WorkerBeat("other", Duration.ofHours(1), null, List.of(), false, later));
		assertThat(readBy(
				() -> assertThat(this.store.takeOver(new TakeOver("other", Set.of("q"), Map.of(), 10, later)).claims())
					.hasSize(1)))
			.isPositive()
			.isLessThan(BATCH);
	}

	@Test
	void countOfRunningJobsReadsNoOthers() {
		assertThat(readBy(() -> assertThat(this.store.inspector().queues(this.now).get(0).running()).isOne()))
			.isPositive()
			.isLessThan(BATCH);
	}

	@Test
	void countOfReadyJobsBeginsWhereTheQueueIsKnownToBeEmpty() {
		enqueue(20);
		for (int i = 1; i <= 10; i++) {
			this.now = this.now.plusMillis(250);
			assertThat(claim(1)).hasSize(1);
		}
		assertThat(readBy("job_ready",
				() -> assertThat(this.store.inspector().queues(this.now).get(0).ready()).isEqualTo(10)))
			.isPositive()
			.isLessThan(BATCH);
	}

}
