package dev.jobs.store.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;

import dev.jobs.store.Claim;
import dev.jobs.store.ClaimReply;
import dev.jobs.store.ClaimRequest;
import dev.jobs.store.JobStore;
import dev.jobs.store.NewJob;
import dev.jobs.store.TakeOver;
import dev.jobs.store.Transition;
import dev.jobs.store.WorkerBeat;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for claims in PostgreSQL that begin where a queue is known to be empty before.
 */
class PostgresLowWaterTests {

	private static final int WRITERS = 8;

	private static final int JOBS_OF_A_WRITER = 40;

	/** As the store draws one that it will insert with its next statement. */
	private static final String DRAW = "select set_config('drawn.place', nextval('%1$splace')::text, false) "
			+ "where not exists (select 1 from %1$sjob where false for update)";

	private static final String INSERT_DRAWN = "insert into %1$sjob (id, queue, payload, place) "
			+ "values ('late', 'q', '', current_setting('drawn.place')::bigint)";

	private final JobStore store = TestDatabase.POSTGRESQL.createStore();

	private final JdbcTemplate jdbc = new JdbcTemplate(TestDatabase.POSTGRESQL.dataSource());

	private Instant now = Instant.parse("2030-01-01T00:00:00Z");

	@BeforeEach
	void register() {
		this.store.beat(new WorkerBeat("w", Duration.ofHours(1), null, List.of(), false, this.now));
	}

	@AfterEach
	void destroyStore() {
		TestDatabase.POSTGRESQL.destroyStore(this.store);
	}

	private void enqueue(int from, int count) {
		this.store.enqueue(IntStream.range(from, from + count)
			.mapToObj((i) -> NewJob.of("job-" + i, "q", new byte[0], this.now))
			.toList(), this.now);
	}

	private List<String> claim(int count) {
		return ids(claims(count));
	}

	private List<Claim> claims(int count) {
		this.now = this.now.plusMillis(250);
		return this.store.claim(new ClaimRequest("w", List.of(ClaimRequest.Quota.of("q", count)), count, this.now))
			.claims();
	}

	private static List<String> ids(List<Claim> claims) {
		return claims.stream().map((claim) -> claim.job().id()).toList();
	}

	private void move(String id, long place) {
		String table = TestDatabase.POSTGRESQL.prefix(this.store) + "job";
		assertThat(this.jdbc.update("update " + table + " set place = ? where id = ?", place, id)).isOne();
	}

	@Test
	void jobBeforeTheMarkIsFoundWithinAMinute() {
		enqueue(0, 10);
		for (int i = 0; i < 8; i++) {
			assertThat(claim(1)).containsExactly("job-" + i);
		}
		move("job-9", 1);
		assertThat(claim(2)).as("the queue is believed to be empty there").containsExactly("job-8");
		this.now = this.now.plusSeconds(60);
		takeOver();
		assertThat(claim(2)).containsExactly("job-9");
		enqueue(10, 3);
		assertThat(claim(5)).containsExactly("job-10", "job-11", "job-12");
	}

	@Test
	void claimReportsAJobThatAnotherHasLocked() throws SQLException {
		enqueue(0, 2);
		try (Connection other = TestDatabase.POSTGRESQL.dataSource().getConnection()) {
			other.setAutoCommit(false);
			try (Statement lock = other.createStatement()) {
				lock.execute("select 1 from " + TestDatabase.POSTGRESQL.prefix(this.store)
						+ "job where id = 'job-0' for update");
			}
			ClaimReply reply = this.store
				.claim(new ClaimRequest("w", List.of(ClaimRequest.Quota.of("q", 1).withMaxRunning(9)), 1, this.now));
			other.rollback();
			assertThat(reply.claims()).extracting((claim) -> claim.job().id()).containsExactly("job-1");
			assertThat(reply.queues()).containsExactly(new ClaimReply.Left("q", true, null));
		}
	}

	/**
	 * What an application may do in a transaction to enqueue a job, in two parts.
	 */
	enum LateEnqueue {

		INSERTS("insert into %1$sjob (id, queue, payload) values ('late', 'q', '')", "select 1", "commit"),

		INSERTS_AFTER_A_SAVEPOINT(
				"savepoint a; insert into %1$sjob (id, queue, payload) values ('late', 'q', ''); release a",
				"savepoint b; insert into %1$sjob (id, queue, payload) values ('never', 'q', ''); rollback to b",
				"commit"),

		INSERTS_AND_PREPARES("insert into %1$sjob (id, queue, payload) values ('late', 'q', '')",
				"prepare transaction '%1$s'", "commit prepared '%1$s'"),

		DRAWS_A_PLACE_AND_INSERTS(DRAW, INSERT_DRAWN, "commit"),

		DRAWS_A_PLACE_AND_PREPARES(DRAW, INSERT_DRAWN + "; prepare transaction '%1$s'", "commit prepared '%1$s'");

		private final String first;

		private final String second;

		private final String commit;

		LateEnqueue(String first, String second, String commit) {
			this.first = first;
			this.second = second;
			this.commit = commit;
		}

	}

	@ParameterizedTest
	@EnumSource
	void jobOfALongTransactionIsFoundAfterItsCommit(LateEnqueue late) throws SQLException {
		String prefix = TestDatabase.POSTGRESQL.prefix(this.store);
		passJobs(0, 1000);
		try (Connection other = TestDatabase.POSTGRESQL.dataSource().getConnection();
				Statement statement = other.createStatement()) {
			statement.execute("begin; " + late.first.formatted(prefix));
			passJobs(1000, 3000);
			statement.execute(late.second.formatted(prefix));
			passJobs(3000, 5000);
			statement.execute(late.commit.formatted(prefix));
		}
		enqueue(5000, 1);
		assertThat(claim(5)).containsExactly("late", "job-5000");
	}

	/**
	 * Run jobs, looking for how far the queue is empty again and again.
	 */
	private void passJobs(int from, int to) {
		for (int i = from; i < to; i += 100) {
			enqueue(i, 100);
			settleAll(claims(100));
		}
	}

	private void settleAll(List<Claim> claims) {
		this.store.settle(claims.stream().map((claim) -> Transition.removed(claim, this.now)).toList(), this.now);
	}

	/**
	 * Places are drawn long before the jobs have numbers of transactions, and these are
	 * committed late, so that jobs come in far below others that have run.
	 */
	@Test
	void noJobOfManySlowTransactionsIsLost() {
		String insert = "insert into " + TestDatabase.POSTGRESQL.prefix(this.store) + """
				job (id, queue, payload, place) select ?, 'q', '', drawn.place
				from (select nextval('%splace') as place, pg_sleep(?)) drawn"""
			.formatted(TestDatabase.POSTGRESQL.prefix(this.store));
		TransactionTemplate transactions = new TransactionTemplate(
				new DataSourceTransactionManager(TestDatabase.POSTGRESQL.dataSource()));
		ExecutorService threads = Executors.newFixedThreadPool(WRITERS);
		List<CompletableFuture<Void>> writers = IntStream.range(0, WRITERS)
			.mapToObj((writer) -> CompletableFuture.runAsync(() -> {
				Random random = new Random(writer);
				for (int i = 0; i < JOBS_OF_A_WRITER; i++) {
					String id = writer + "-" + i;
					transactions.executeWithoutResult((status) -> {
						this.jdbc.update(insert, id, (random.nextInt(4) == 0) ? random.nextDouble() / 5 : 0.0);
						this.jdbc.queryForList("select pg_sleep(?)", random.nextDouble() / 20);
					});
				}
			}, threads))
			.toList();
		threads.shutdown();
		List<String> claimed = new ArrayList<>();
		boolean areDone;
		List<String> last;
		do {
			areDone = writers.stream().allMatch(CompletableFuture::isDone);
			List<Claim> claims = claims(10);
			settleAll(claims);
			last = ids(claims);
			claimed.addAll(last);
		}
		while (!areDone || !last.isEmpty());
		writers.forEach(CompletableFuture::join);
		assertThat(claimed).doesNotHaveDuplicates().hasSize(WRITERS * JOBS_OF_A_WRITER);
	}

	/**
	 * The worker of such a claim is gone before anybody knows of what it holds.
	 */
	@Test
	void jobsOfAClaimThatIsCommittedLateAreTakenOver() throws SQLException {
		String prefix = TestDatabase.POSTGRESQL.prefix(this.store);
		enqueue(0, 1);
		takeOver();
		try (Connection other = TestDatabase.POSTGRESQL.dataSource().getConnection();
				Statement statement = other.createStatement()) {
			statement.execute("begin; with held as (update " + prefix + "job set state = 2, token = nextval('" + prefix
					+ "token') where id = 'job-0' returning queue, token) insert into " + prefix
					+ "delivery (queue, token, worker, started_at, owner) select queue, token, 'gone', 0, 'gone' "
					+ "from held");
			for (int i = 1; i < 10; i++) {
				enqueue(i, 1);
				settleAll(claims(1));
				register();
			}
			statement.execute("commit");
		}
		assertThat(takeOver()).containsExactly("job-0");
	}

	private List<String> takeOver() {
		return ids(this.store.takeOver(new TakeOver("w", Set.of("q"), Map.of(), 10, this.now)).claims());
	}

	@Test
	void jobsAtTheFrontAreFoundAtOnce() {
		enqueue(0, 10);
		for (int i = 0; i < 8; i++) {
			claim(1);
		}
		move("job-9", -1);
		assertThat(claim(2)).containsExactly("job-9", "job-8");
	}

}
