package dev.jobs.store.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import javax.sql.DataSource;

import dev.jobs.JobStoreException;
import dev.jobs.Unique;
import dev.jobs.store.NewJob;
import dev.jobs.store.Outbox;
import dev.jobs.store.Outbox.Contents;
import dev.jobs.test.ExpectsFaults;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.transaction.TransactionStatus;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for the outbox on each database.
 */
class JdbcOutboxTests {

	private static final Instant NOW = Instant.parse("2026-03-01T10:00:00Z");

	private static final NewJob.UniqueKey KEY = new NewJob.UniqueKey("digest", Unique.Mode.UNTIL_REMOVED,
			Unique.Scope.HANDLER, NOW.plusSeconds(60), Unique.OnDuplicate.KEEP);

	private static final List<Object> ODD_VALUES = List.of("", " ", "x", "0", "-1", "null", "{", "[]", "{\"a\":null}",
			"\u0001", "y".repeat(70_000), 0L, -1L, 1L << 53, Long.MAX_VALUE, Long.MIN_VALUE, Integer.MAX_VALUE, 0.5,
			new byte[0], new byte[] { -1, 0 });

	private TestDatabase database;

	private String prefix;

	private Outbox outbox;

	static List<TestDatabase> databases() {
		return JoinedStoreTests.databases();
	}

	static List<TestDatabase> withLocks() {
		return JoinedStoreTests.withManyWriters();
	}

	private void use(TestDatabase database) {
		this.database = database;
		this.prefix = TestDatabase.newPrefix();
		this.outbox = database.createOutbox(this.prefix);
	}

	@AfterEach
	void dropTables() {
		this.database.dropOutbox(this.prefix);
	}

	private JdbcTemplate jdbc() {
		return new JdbcTemplate(this.database.dataSource());
	}

	private void inTransaction(java.util.function.Consumer<TransactionStatus> body) {
		new TransactionTemplate(new DataSourceTransactionManager(this.database.dataSource()))
			.executeWithoutResult(body);
	}

	private void commit(NewJob... jobs) {
		inTransaction((status) -> assertThat(this.outbox.write(List.of(jobs))).isTrue());
	}

	private static NewJob job(String id, String queue) {
		return NewJob.of(id, queue, id.getBytes(), NOW);
	}

	/**
	 * Take all jobs over, and return them.
	 */
	private List<NewJob> relay(String... except) {
		return relay(this.outbox, except);
	}

	private static List<NewJob> relay(Outbox outbox, String... except) {
		List<NewJob> taken = new ArrayList<>();
		outbox.relay(100, Set.of(except), Set.of(), (jobs) -> {
			taken.addAll(jobs);
			return jobs.stream().map((job) -> true).toList();
		});
		return taken;
	}

	private static List<String> ids(Collection<NewJob> jobs) {
		return jobs.stream().map(NewJob::id).toList();
	}

	@ParameterizedTest
	@MethodSource("databases")
	void whatIsWrittenIsCommittedOrRolledBackWithTheTransaction(TestDatabase database) {
		use(database);
		assertThat(this.outbox.write(List.of(job("outside", "q")))).isFalse();
		inTransaction((status) -> {
			assertThat(this.outbox.write(List.of(job("undone", "q")))).isTrue();
			status.setRollbackOnly();
		});
		inTransaction((status) -> {
			this.outbox.write(List.of(job("a", "q"), job("b", "q")));
			Object savepoint = status.createSavepoint();
			this.outbox.write(List.of(job("undone", "q")));
			status.rollbackToSavepoint(savepoint);
			this.outbox.write(List.of(job("c", "q")));
		});
		assertThat(this.outbox.contents()).isEqualTo(new Contents(3, 0, NOW));
		assertThat(ids(relay())).containsExactly("a", "b", "c");
		assertThat(this.outbox.contents()).isEqualTo(new Contents(0, 0, null));
	}

	@ParameterizedTest
	@MethodSource("databases")
	void jobComesOutAsItWentIn(TestDatabase database) {
		use(database);
		byte[] payload = new byte[1 << 18];
		IntStream.range(0, payload.length).forEach((i) -> payload[i] = (byte) i);
		NewJob.UniqueKey key = new NewJob.UniqueKey("digest", Unique.Mode.UNTIL_REMOVED, Unique.Scope.NAMESPACE,
				NOW.plusSeconds(60), Unique.OnDuplicate.REPLACE_AND_RESCHEDULE);
		NewJob job = NewJob.of("id", "q", payload, NOW.minusSeconds(3))
			.withHeaders(Map.of("traceparent", "00-ab-cd-01", "b", "\u00e4\n\"\u2603"))
			.withDueAt(NOW.plusSeconds(100))
			.withUniqueKey(key)
			.withMaxWaiting(17);
		commit(job, job("empty", "q"));
		NewJob found = relay().get(0);
		assertThat(found).usingRecursiveComparison().isEqualTo(job);
	}

	@ParameterizedTest
	@MethodSource("databases")
	void whatDoesNotArriveStaysAndQueuesCanBeSkipped(TestDatabase database) {
		use(database);
		commit(job("a", "p"), job("b", "q"), job("c", "p"), job("d", "r"));
		assertThat(this.outbox.relay(3, Set.of(), Set.of(), (jobs) -> List.of(false, false, false))).isEqualTo(3);
		int found = this.outbox.relay(3, Set.of(), Set.of(), (jobs) -> {
			assertThat(ids(jobs)).containsExactly("a", "b", "c");
			return List.of(false, true, false);
		});
		assertThat(found).isEqualTo(3);
		assertThat(ids(relay("p", "x"))).containsExactly("d");
		assertThat(this.outbox.contents()).isEqualTo(new Contents(2, 0, NOW));
		assertThat(ids(relay())).containsExactly("a", "c");
	}

	@ParameterizedTest
	@MethodSource("databases")
	@ExpectsFaults("cannot be read and stays there")
	void rowThatCannotBeReadIsSetAsideAndStopsNoOther(TestDatabase database) {
		use(database);
		commit(job("mode", "q"), job("headers", "q"), job("key", "q"), job("sound", "q"), job("nameless", "q"));
		String outbox = this.prefix + "outbox";
		jdbc().update("update " + outbox + " set key_digest = 'd', key_mode = 'FOREVER' where id = 'mode'");
		jdbc().update("update " + outbox + " set headers = '{\"a\"' where id = 'headers'");
		jdbc().update("update " + outbox + " set key_digest = 'd' where id = 'key'");
		jdbc().update("update " + outbox + " set queue = '' where id = 'nameless'");
		assertThat(ids(relay())).containsExactly("sound");
		assertThat(this.outbox.contents()).isEqualTo(new Contents(0, 4, null));
		assertThat(relay()).isEmpty();
		assertThat(jdbc().queryForList("select problem from " + outbox + " order by place", String.class)).hasSize(4)
			.doesNotContainNull()
			.anyMatch((problem) -> problem.contains("FOREVER"));
		jdbc().update("update " + outbox + " set headers = null, problem = null where id = 'headers'");
		assertThat(ids(relay())).containsExactly("headers");
	}

	@ParameterizedTest
	@MethodSource("databases")
	@ExpectsFaults("cannot be read and stays there")
	void noValueOfAColumnStopsTheRelayOrTheCounts(TestDatabase database) {
		use(database);
		String outbox = this.prefix + "outbox";
		List<String> columns = Stream
			.of(jdbc().queryForRowSet("select * from " + outbox).getMetaData().getColumnNames())
			.filter((column) -> !column.equalsIgnoreCase("place"))
			.toList();
		assertThat(columns).hasSizeGreaterThan(12);
		int row = 0;
		int odd = 0;
		for (String column : columns) {
			for (Object value : ODD_VALUES) {
				String id = "odd-" + row++;
				commit(NewJob.of(id, "q", id.getBytes(), NOW).withUniqueKey(KEY));
				odd += trySet(outbox, column, value, id) ? 1 : 0;
			}
		}
		assertThat(odd).isGreaterThan(100);
		commit(job("sound", "q"));
		assertThat(this.outbox.contents().waiting()).isPositive();
		List<String> taken = new ArrayList<>();
		for (int i = 0; i < row; i++) {
			taken.addAll(ids(relay()));
		}
		assertThat(taken).contains("sound");
		assertThat(this.outbox.contents().waiting()).isZero();
	}

	/**
	 * Give a column a value, unless it refuses it.
	 */
	private boolean trySet(String outbox, String column, Object value, String id) {
		try {
			return jdbc().update("update " + outbox + " set " + column + " = ? where id = ?", value, id) > 0;
		}
		catch (DataAccessException ex) {
			return false;
		}
	}

	@ParameterizedTest
	@MethodSource("withLocks")
	void processesSideBySideTakeDifferentJobsAndNobodyWaits(TestDatabase database) throws Exception {
		use(database);
		commit(IntStream.range(0, 10).mapToObj((i) -> job("id" + i, "q")).toArray(NewJob[]::new));
		CountDownLatch first = new CountDownLatch(1);
		CountDownLatch second = new CountDownLatch(1);
		List<String> taken = new ArrayList<>();
		CompletableFuture<Integer> other = CompletableFuture
			.supplyAsync(() -> this.outbox.relay(4, Set.of(), Set.of(), (jobs) -> {
				taken.addAll(ids(jobs));
				first.countDown();
				await(second);
				return jobs.stream().map((job) -> true).toList();
			}));
		await(first);
		List<NewJob> here = relay();
		commit(job("meanwhile", "q"));
		second.countDown();
		assertThat(other.get(30, TimeUnit.SECONDS)).isEqualTo(4);
		assertThat(taken).hasSize(4);
		assertThat(here).hasSize(6).extracting(NewJob::id).doesNotContainAnyElementsOf(taken);
		assertThat(ids(relay())).containsExactly("meanwhile");
	}

	@ParameterizedTest
	@MethodSource("databases")
	@ExpectsFaults("cannot be read and stays there")
	void connectionsThatCommitNothingThemselvesWillDo(TestDatabase database) {
		use(database);
		DataSource unpooled = new DelegatingDataSource(new DriverManagerDataSource(database.connectionUrl())) {

			@Override
			public Connection getConnection() throws SQLException {
				Connection connection = super.getConnection();
				connection.setAutoCommit(false);
				return connection;
			}

		};
		Outbox outbox = JdbcJobStore.builder(unpooled).tablePrefix(this.prefix).buildOutbox();
		new TransactionTemplate(new DataSourceTransactionManager(unpooled))
			.executeWithoutResult((status) -> outbox.write(List.of(job("a", "q"), job("b", "q"), job("c", "q"))));
		jdbc().update("update " + this.prefix + "outbox set queue = '' where id = 'c'");
		assertThat(this.outbox.contents()).isEqualTo(new Contents(3, 0, NOW));
		assertThat(ids(relay(outbox))).containsExactly("a", "b");
		assertThat(this.outbox.contents()).isEqualTo(new Contents(0, 1, null));
	}

	@ParameterizedTest
	@MethodSource("databases")
	void manyThreadsWriteAndTakeEachJobOnce(TestDatabase database) {
		use(database);
		ConcurrentLinkedQueue<String> taken = new ConcurrentLinkedQueue<>();
		List<CompletableFuture<Void>> threads = IntStream.range(0, 4)
			.mapToObj((thread) -> CompletableFuture.runAsync(() -> {
				for (int i = 0; i < 25; i++) {
					commit(job(thread + "-" + i, "q"));
					this.outbox.relay(10, Set.of(), Set.of(), (jobs) -> {
						taken.addAll(ids(jobs));
						return jobs.stream().map((job) -> true).toList();
					});
				}
			}))
			.toList();
		threads.forEach((thread) -> thread.orTimeout(60, TimeUnit.SECONDS).join());
		taken.addAll(ids(relay()));
		assertThat(Set.copyOf(taken)).hasSize(100);
		assertThat(taken).hasSize((database == TestDatabase.SQLITE) ? taken.size() : 100);
		assertThat(this.outbox.contents()).isEqualTo(new Contents(0, 0, null));
	}

	@Test
	void connectionThatBreaksAfterTheHandOverLeavesTheJobs() {
		use(TestDatabase.POSTGRESQL);
		commit(job("a", "q"));
		assertThatExceptionOfType(JobStoreException.class)
			.isThrownBy(() -> this.outbox.relay(10, Set.of(), Set.of(), (jobs) -> {
				jdbc().queryForList(
						"select pg_terminate_backend(pid) from pg_locks l join pg_class c on c.oid = l.relation "
								+ "where c.relname = ? and pid <> pg_backend_pid()",
						this.prefix + "outbox");
				return List.of(true);
			}))
			.matches(JobStoreException::isTemporary);
		assertThat(ids(relay())).containsExactly("a");
	}

	private static void await(CountDownLatch latch) {
		try {
			assertThat(latch.await(30, TimeUnit.SECONDS)).isTrue();
		}
		catch (InterruptedException ex) {
			throw new AssertionError(ex);
		}
	}

}
