package dev.jobs.store.jdbc;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.jobs.Enqueued;
import dev.jobs.Job;
import dev.jobs.JobState;
import dev.jobs.JobStoreException;
import dev.jobs.store.Change;
import dev.jobs.store.Claim;
import dev.jobs.store.ClaimReply;
import dev.jobs.store.ClaimRequest;
import dev.jobs.store.End;
import dev.jobs.store.JobStore;
import dev.jobs.store.NewJob;
import dev.jobs.store.Save;
import dev.jobs.store.Settled;
import dev.jobs.store.StoreListener;
import dev.jobs.store.TakeOver;
import dev.jobs.store.Transition;
import dev.jobs.store.WorkerBeat;
import dev.jobs.store.view.EndView;
import dev.jobs.store.view.QueueView;
import dev.jobs.store.view.WorkerInfo;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.jdbc.datasource.DelegatingDataSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for calls that take a single statement and no transaction in PostgreSQL.
 */
class PostgresSingleStatementTests {

	private static final Instant NOW = Instant.parse("2030-01-01T00:00:00Z");

	private final JobStore tables = TestDatabase.POSTGRESQL.createStore();

	private final List<String> calls = new ArrayList<>();

	private final List<String> texts = new ArrayList<>();

	private int connections;

	private @Nullable SQLException secondFault;

	private final JobStore store = JdbcJobStore.builder(new DelegatingDataSource(TestDatabase.POSTGRESQL.dataSource()) {

		@Override
		public Connection getConnection() throws SQLException {
			PostgresSingleStatementTests.this.connections++;
			return noting(super.getConnection());
		}

	}).database(Database.POSTGRESQL).tablePrefix(TestDatabase.POSTGRESQL.prefix(this.tables)).build();

	private Connection noting(Connection connection) {
		return (Connection) Proxy.newProxyInstance(getClass().getClassLoader(), new Class<?>[] { Connection.class },
				(proxy, method, arguments) -> {
					if (List.of("prepareStatement", "createStatement", "commit").contains(method.getName())) {
						this.calls.add(method.getName());
						if (this.secondFault != null && this.calls.size() == 2) {
							throw this.secondFault;
						}
					}
					if (method.getName().equals("prepareStatement")) {
						this.texts.add((String) arguments[0]);
					}
					try {
						return method.invoke(connection, arguments);
					}
					catch (InvocationTargetException ex) {
						throw ex.getCause();
					}
				});
	}

	/**
	 * What a store has to learn about the queues it serves is learned by its first calls.
	 */
	@BeforeEach
	void register() {
		beat(this.store);
		claim(this.store);
		IntStream.range(0, 3).forEach((i) -> beat(this.store));
		this.calls.clear();
	}

	@AfterEach
	void destroyStore() {
		TestDatabase.POSTGRESQL.destroyStore(this.tables);
	}

	private static void beat(JobStore store) {
		WorkerInfo.Pool pool = new WorkerInfo.Pool("p", 1, 0, List.of("q"));
		WorkerInfo info = new WorkerInfo("host", 1, "1", NOW, List.of(pool), List.of());
		store.beat(new WorkerBeat("w", Duration.ofHours(1), info, List.of(), false, NOW));
	}

	private static ClaimReply claim(JobStore store) {
		return store.claim(new ClaimRequest("w", List.of(ClaimRequest.Quota.of("q", 1)), 1, NOW));
	}

	private static List<Enqueued> enqueue(JobStore store, Instant dueAt) {
		return store.enqueue(List.of(job("job", dueAt)), NOW);
	}

	private static NewJob job(String id, Instant dueAt) {
		return NewJob.of(id, "q", new byte[0], NOW).withDueAt(dueAt);
	}

	private void assertThatOneStatementWasEnough() {
		assertThat(this.calls).containsExactly("prepareStatement");
		this.calls.clear();
	}

	@Test
	void idleWorkerNeedsOneStatementForEachCall() {
		claim(this.store);
		assertThatOneStatementWasEnough();
		beat(this.store);
		assertThatOneStatementWasEnough();
		this.store.takeOver(new TakeOver("w", Set.of("q"), Map.of(), 10, NOW));
		assertThatOneStatementWasEnough();
	}

	@Test
	void enqueueNeedsOneStatement() {
		enqueue(this.store, NOW);
		assertThatOneStatementWasEnough();
		assertThat(claim(this.tables).claims()).extracting(Claim::job).extracting(Job::id).containsExactly("job");
	}

	@Test
	void claimOfPlainJobsNeedsOneStatement() {
		enqueue(this.store, NOW);
		this.calls.clear();
		ClaimReply reply = claim(this.store);
		assertThatOneStatementWasEnough();
		assertThat(reply.claims()).extracting(Claim::job).extracting(Job::id).containsExactly("job");
		assertThat(reply.queues()).containsExactly(new ClaimReply.Left("q", false, null));
		assertThat(claim(this.tables).claims()).isEmpty();
	}

	@Test
	void idleClaimReturnsWhenTheNextJobIsDue() {
		enqueue(this.store, NOW.plusSeconds(9));
		this.calls.clear();
		ClaimReply reply = claim(this.store);
		assertThatOneStatementWasEnough();
		assertThat(reply.queues()).containsExactly(new ClaimReply.Left("q", false, NOW.plusSeconds(9)));
	}

	/**
	 * Whatever the database says of the second statement, the first one is committed.
	 */
	@ParameterizedTest
	@ValueSource(strings = { "08006", "40001", "53200" })
	void claimWhoseSecondStatementFailsIsNotRefused(String state) {
		this.tables.enqueue(List.of(job("a", NOW), job("b", NOW)), NOW);
		this.secondFault = new SQLException("no", state);
		ClaimRequest request = new ClaimRequest("w", List.of(ClaimRequest.Quota.of("q", 2).withShare(1)), 2, NOW);
		assertThatExceptionOfType(JobStoreException.class).isThrownBy(() -> this.store.claim(request))
			.matches((ex) -> !ex.isRefused() && ex.isTemporary());
		assertThat(this.calls).containsExactly("prepareStatement", "prepareStatement");
		assertThat(this.tables.inspector().queues(NOW)).extracting(QueueView::running).containsExactly(1L);
	}

	/**
	 * Start jobs.
	 */
	private List<Claim> started(String... ids) {
		this.tables.enqueue(Stream.of(ids).map((id) -> job(id, NOW)).toList(), NOW);
		List<Claim> claims = this.tables
			.claim(new ClaimRequest("w", List.of(ClaimRequest.Quota.of("q", ids.length)), ids.length, NOW))
			.claims();
		this.calls.clear();
		return claims;
	}

	private List<Settled> end(List<Claim> claims) {
		return this.store.settle(claims.stream().map((claim) -> Transition.removed(claim, NOW)).toList(), NOW);
	}

	@Test
	void endOfJobsThatLeaveNothingNeedsOneStatement() {
		List<Claim> claims = started("a", "b");
		assertThat(end(claims)).containsExactly(Settled.APPLIED, Settled.APPLIED);
		assertThatOneStatementWasEnough();
		assertThat(this.tables.inspector().queues(NOW)).extracting(QueueView::running).containsExactly(0L);
	}

	@Test
	void endsOfJobsThatLeaveOnlyTheirEndNeedOneStatementToo() {
		List<Claim> claims = started("a", "b", "c");
		assertThat(this.store.settle(List.of(Transition.removed(claims.get(0), NOW),
				Transition.removed(claims.get(1), NOW).keeping(kept(claims.get(1))),
				Transition.removed(claims.get(2), NOW).withToken(0).keeping(kept(claims.get(2)))), NOW))
			.containsExactly(Settled.APPLIED, Settled.APPLIED, Settled.LOST);
		// The last one takes a look at its token.
		assertThat(this.calls).containsExactly("prepareStatement", "prepareStatement");
		assertThat(this.tables.inspector().ends(List.of("a", "b", "c"), NOW)).containsOnlyKeys("b", "c")
			.extractingByKey("c")
			.extracting(EndView::state)
			.isEqualTo(JobState.RUNNING);
	}

	@Test
	void onlyAnEndThatIsKeptNeedsTheTableOfEnds() {
		List<Claim> claims = started("warm", "a", "b", "c");
		List<Transition> ends = claims.stream()
			.map((claim) -> Transition.kept(claim, NOW, claim.job().trail()))
			.toList();
		this.store.settle(ends.subList(0, 1), NOW);
		this.calls.clear();
		this.texts.clear();
		this.store.settle(ends.subList(1, 2), NOW);
		end(claims.subList(2, 3));
		int plain = this.calls.size() - 1;
		String table = TestDatabase.POSTGRESQL.prefix(this.tables) + "end";
		assertThat(this.texts).isNotEmpty().noneMatch((text) -> text.contains(table));
		this.calls.clear();
		this.texts.clear();
		this.store.settle(List.of(ends.get(3).keeping(kept(claims.get(3)))), NOW);
		assertThat(this.calls).hasSize(plain + 1);
		assertThat(this.texts).filteredOn((text) -> text.contains(table)).hasSize(1);
	}

	private static End kept(Claim claim) {
		return new End(JobState.SUCCEEDED, claim.job().trail(), new byte[1], NOW.plusSeconds(9));
	}

	/**
	 * Of jobs that run, one statement tells all.
	 */
	@Test
	void endsOfManyJobsAreFoundByTwoStatements() {
		started("a", "b");
		List<String> ids = IntStream.range(0, 1000).mapToObj((i) -> (i == 0) ? "a" : "gone-" + i).toList();
		assertThat(this.store.inspector().ends(ids, NOW)).containsOnlyKeys("a");
		assertThat(this.calls).containsExactly("prepareStatement", "prepareStatement");
		this.calls.clear();
		assertThat(this.store.inspector().ends(List.of("a", "b"), NOW)).hasSize(2);
		assertThatOneStatementWasEnough();
	}

	@Test
	void saveNeedsOneStatementWhateverBecomesOfIt() {
		List<Claim> claims = started("a", "b");
		assertThat(this.store.save(List.of(save("a", claims.get(0).token(), "x"), save("b", claims.get(1).token(), "x"),
				save("a", claims.get(0).token(), "y")), NOW))
			.containsOnly(Settled.APPLIED);
		assertThatOneStatementWasEnough();
		assertThat(this.store.save(List.of(save("a", 0, "x"), save("gone", 0, "x")), NOW)).containsExactly(Settled.LOST,
				Settled.GONE);
		assertThatOneStatementWasEnough();
	}

	private static Save save(String job, long token, String name) {
		return new Save(job, "q", token, name, new byte[1]);
	}

	@Test
	void endThatNeedsATransactionTakesOneConnection() {
		Claim claim = started("a").get(0);
		this.connections = 0;
		assertThat(this.store.settle(List.of(Transition.kept(claim, NOW, claim.job().trail())), NOW))
			.containsExactly(Settled.APPLIED);
		assertThat(this.connections).isEqualTo(1);
	}

	@Test
	void endNeedsOneMoreStatementOnlyIfTheJobMayHaveSavedValues() {
		List<Claim> claims = started("warm", "a", "b");
		List<Transition> ends = claims.stream()
			.map((claim) -> Transition.kept(claim, NOW, claim.job().trail()))
			.toList();
		this.store.settle(List.of(ends.get(0)), NOW);
		this.calls.clear();
		this.store.settle(List.of(ends.get(1)), NOW);
		int plain = this.calls.size();
		this.calls.clear();
		this.store.settle(List.of(ends.get(2).withSaved()), NOW);
		assertThat(this.calls).hasSize(plain + 1);
	}

	@Test
	void endBelowALimitSignalsTheQueue() {
		this.tables.change(List.of(new Change.Limit("q", 1)), NOW);
		List<Claim> claims = started("a");
		this.tables.enqueue(List.of(job("b", NOW)), NOW);
		assertThat(claim(this.store).claims()).isEmpty();
		List<String> ready = new ArrayList<>();
		this.store.listen(new StoreListener() {

			@Override
			public void ready(String queue, Instant at) {
				ready.add(queue);
			}

		});
		assertThat(end(claims)).containsExactly(Settled.APPLIED);
		assertThat(ready).containsExactly("q");
		assertThat(claim(this.store).claims()).hasSize(1);
	}

	/**
	 * The first statement is committed: what it ended must not be said to be undone.
	 */
	@ParameterizedTest
	@ValueSource(strings = { "08006", "40001", "53200" })
	void endWhoseSecondStatementFailsIsNotRefused(String state) {
		List<Claim> claims = started("a", "b");
		this.tables.settle(List.of(Transition.removed(claims.get(0), NOW)), NOW);
		this.secondFault = new SQLException("no", state);
		assertThatExceptionOfType(JobStoreException.class).isThrownBy(() -> end(claims))
			.matches((ex) -> !ex.isRefused() && ex.isTemporary());
		assertThat(this.tables.inspector().queues(NOW)).extracting(QueueView::running).containsExactly(0L);
		this.secondFault = null;
		assertThat(end(claims)).containsExactly(Settled.GONE, Settled.GONE);
	}

	@Test
	void connectionsThatDoNotCommitByThemselvesAreCommitted() {
		HikariConfig config = new HikariConfig();
		config.setJdbcUrl(TestDatabase.POSTGRESQL.connectionUrl());
		config.setMaximumPoolSize(1);
		config.setAutoCommit(false);
		try (HikariDataSource pool = new HikariDataSource(config)) {
			JobStore other = JdbcJobStore.builder(pool)
				.tablePrefix(TestDatabase.POSTGRESQL.prefix(this.tables))
				.build();
			enqueue(other, NOW);
		}
		assertThat(claim(this.store).claims()).hasSize(1);
	}

}
