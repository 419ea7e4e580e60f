package dev.jobs.store.jdbc;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import javax.sql.DataSource;

import dev.jobs.Enqueued;
import dev.jobs.Enqueued.Outcome;
import dev.jobs.Job.Progress;
import dev.jobs.Job;
import dev.jobs.JobState;
import dev.jobs.JobStoreException;
import dev.jobs.Trail;
import dev.jobs.Unique;
import dev.jobs.engine.settle.TrailRules;
import dev.jobs.store.Change;
import dev.jobs.store.Changed;
import dev.jobs.store.Claim;
import dev.jobs.store.ClaimRequest;
import dev.jobs.store.ClaimRequest.Quota;
import dev.jobs.store.End;
import dev.jobs.store.JobStore;
import dev.jobs.store.NewJob;
import dev.jobs.store.NewSchedule;
import dev.jobs.store.Save;
import dev.jobs.store.Settled;
import dev.jobs.store.StoreListener;
import dev.jobs.store.Tick;
import dev.jobs.store.TickReply;
import dev.jobs.store.TransactionalJobStore;
import dev.jobs.store.Transition;
import dev.jobs.store.WorkerBeat;
import dev.jobs.store.view.EndView;
import dev.jobs.store.view.GateView;
import org.h2.jdbcx.JdbcDataSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.dao.ConcurrencyFailureException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.datasource.LazyConnectionDataSourceProxy;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionStatus;
import org.springframework.transaction.support.TransactionCallback;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for a store that has joined a transaction.
 */
class JoinedStoreTests {

	private static final Instant NOW = Instant.parse("2026-03-01T10:00:00Z");

	/** The time for what an open transaction must not hold up. */
	private static final Duration WHILE_IT_IS_OPEN = Duration.ofSeconds(20);

	private final List<String> signals = new CopyOnWriteArrayList<>();

	private TestDatabase database;

	private JobStore store;

	static List<TestDatabase> databases() {
		return TestDatabase.present();
	}

	static List<TestDatabase> withManyWriters() {
		return databases().stream().filter((database) -> database != TestDatabase.SQLITE).toList();
	}

	static List<TestDatabase> withSharedLocks() {
		return withManyWriters().stream().filter((database) -> database != TestDatabase.H2).toList();
	}

	private void use(TestDatabase database) {
		this.database = database;
		this.store = database.createStore();
		this.store.listen(new StoreListener() {

			@Override
			public void ready(String queue, Instant at) {
				JoinedStoreTests.this.signals.add("ready " + queue);
			}

			@Override
			public void cancelled(String worker) {
				JoinedStoreTests.this.signals.add("cancelled " + worker);
			}

			@Override
			public void ended(Set<String> jobs) {
				JoinedStoreTests.this.signals.add("ended " + new TreeSet<>(jobs));
			}

		});
	}

	@AfterEach
	void destroyStore() {
		if (this.store != null) {
			this.database.destroyStore(this.store);
		}
	}

	@ParameterizedTest
	@MethodSource("databases")
	void whatIsEnqueuedIsCommittedWithTheTransactionAndSignalledAfterwards(TestDatabase database) {
		use(database);
		inTransaction((status) -> {
			assertThat(enqueue(job("a")).outcome()).isEqualTo(Outcome.NEW);
			assertThat(TransactionalJobStore.join(this.store).orElseThrow().inspector().job("a", NOW)).isPresent();
			assertThat(this.store.inspector().job("a", NOW)).isEmpty();
			assertThat(this.signals).isEmpty();
			return null;
		});
		assertThat(this.store.inspector().job("a", NOW)).isPresent();
		assertThat(this.signals).containsExactly("ready work");
	}

	@ParameterizedTest
	@MethodSource("databases")
	void whatIsEnqueuedIsRolledBackWithTheTransactionAndNotSignalled(TestDatabase database) {
		use(database);
		inTransaction((status) -> {
			TransactionalJobStore.join(this.store).orElseThrow().enqueue(List.of(job("a"), job("b"), unique("c")), NOW);
			status.setRollbackOnly();
			return null;
		});
		assertThat(stored("a", "b", "c")).isEmpty();
		assertThat(this.signals).isEmpty();
	}

	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	void aConflictReachesTheTransactionAsWhatIsRetried(boolean caught) {
		use(TestDatabase.POSTGRESQL);
		TransactionTemplate strict = new TransactionTemplate(
				new DataSourceTransactionManager(this.database.dataSource()));
		strict.setIsolationLevel(TransactionDefinition.ISOLATION_REPEATABLE_READ);
		List<JobStore> others = new ArrayList<>(List.of(this.store));
		TransactionCallback<Outcome> attempt = (status) -> {
			TransactionalJobStore.join(this.store).orElseThrow().inspector().job("a", NOW);
			others.forEach((other) -> CompletableFuture.runAsync(() -> other.enqueue(List.of(job("a")), NOW)).join());
			others.clear();
			try {
				return enqueue(job("a")).outcome();
			}
			catch (ConcurrencyFailureException ex) {
				if (caught) {
					return Outcome.FULL;
				}
				throw ex;
			}
		};
		assertThatExceptionOfType(ConcurrencyFailureException.class).isThrownBy(() -> strict.execute(attempt));
		assertThat(strict.execute(attempt)).isEqualTo(Outcome.NEW);
	}

	@ParameterizedTest
	@MethodSource("databases")
	void keyOfARolledBackJobIsFreeAgain(TestDatabase database) {
		use(database);
		inTransaction((status) -> {
			assertThat(enqueue(unique("a")).outcome()).isEqualTo(Outcome.NEW);
			Enqueued second = enqueue(unique("b"));
			assertThat(second.outcome()).isEqualTo(Outcome.DUPLICATE);
			assertThat(second.id()).isEqualTo("a");
			status.setRollbackOnly();
			return null;
		});
		assertThat(this.store.enqueue(List.of(unique("c")), NOW).get(0).outcome()).isEqualTo(Outcome.NEW);
	}

	@ParameterizedTest
	@MethodSource("withManyWriters")
	void enqueueWaitsForAKeyThatIsNotYetCommitted(TestDatabase database) throws Exception {
		use(database);
		CompletableFuture<Enqueued> other = new CompletableFuture<>();
		inTransaction((status) -> {
			enqueue(unique("a"));
			other.completeAsync(() -> this.store.enqueue(List.of(unique("b")), NOW).get(0));
			assertThat(other).isNotDone();
			return null;
		});
		Enqueued answer = other.get(30, TimeUnit.SECONDS);
		assertThat(answer).isEqualTo(Enqueued.of("a", Outcome.DUPLICATE, NOW));
	}

	@ParameterizedTest
	@MethodSource("databases")
	void queueIsFullOfTheTransactionsOwnJobs(TestDatabase database) {
		use(database);
		inTransaction((status) -> {
			assertThat(enqueue(job("a", 2)).outcome()).isEqualTo(Outcome.NEW);
			assertThat(enqueue(job("b", 2)).outcome()).isEqualTo(Outcome.NEW);
			assertThat(enqueue(job("c", 2)).outcome()).isEqualTo(Outcome.FULL);
			return null;
		});
		assertThat(stored("a", "b", "c")).containsExactly("a", "b");
	}

	@ParameterizedTest
	@MethodSource("databases")
	void rollbackToASavepointUndoesWhatWasEnqueuedSince(TestDatabase database) {
		use(database);
		inTransaction((status) -> {
			enqueue(job("a"));
			transactions(TransactionDefinition.PROPAGATION_NESTED).executeWithoutResult((nested) -> {
				enqueue(unique("b"));
				nested.setRollbackOnly();
			});
			assertThat(enqueue(unique("c")).outcome()).isEqualTo(Outcome.NEW);
			return null;
		});
		assertThat(stored("a", "b", "c")).containsExactly("a", "c");
	}

	@ParameterizedTest
	@MethodSource("withManyWriters")
	void innerTransactionOfItsOwnIsIndependent(TestDatabase database) {
		use(database);
		inTransaction((status) -> {
			enqueue(job("a"));
			transactions(TransactionDefinition.PROPAGATION_REQUIRES_NEW)
				.executeWithoutResult((inner) -> enqueue(job("b")));
			transactions(TransactionDefinition.PROPAGATION_NOT_SUPPORTED)
				.executeWithoutResult((inner) -> assertThat(TransactionalJobStore.join(this.store)).isEmpty());
			assertThat(stored("a", "b")).containsExactly("b");
			status.setRollbackOnly();
			return null;
		});
		assertThat(stored("a", "b")).containsExactly("b");
	}

	@ParameterizedTest
	@MethodSource("withManyWriters")
	void callsOfTheStoreItselfHaveNothingToDoWithTheTransaction(TestDatabase database) {
		use(database);
		inTransaction((status) -> {
			enqueue(job("a"));
			this.store.enqueue(List.of(job("b")), NOW);
			assertThat(this.signals).containsExactly("ready work");
			assertThat(stored("a", "b")).containsExactly("b");
			status.setRollbackOnly();
			return null;
		});
		assertThat(stored("a", "b")).containsExactly("b");
	}

	/** MariaDB locks gaps, unless the transaction is at read committed. */
	@ParameterizedTest
	@EnumSource(names = { "POSTGRESQL", "H2" })
	void othersDoNotWaitForALongTransaction(TestDatabase database) throws Exception {
		use(database);
		Claim claim = claimed("running");
		this.store.change(List.of(new Change.PauseSchedule("paused")), NOW);
		inTransaction((status) -> {
			TransactionalJobStore.join(this.store).orElseThrow().enqueue(List.of(job("a", 10), job("b", 1)), NOW);
			assertThat(TransactionalJobStore.join(this.store)
				.orElseThrow()
				.change(List.of(new Change.Cancel("running"), new Change.PauseSchedule("s"),
						new Change.ResumeSchedule("paused", Duration.ZERO)), NOW))
				.containsOnly(Changed.DONE);
			CompletableFuture<Integer> others = CompletableFuture.supplyAsync(() -> {
				this.store.change(List.of(new Change.PauseSchedule("s"), new Change.PauseSchedule("paused")), NOW);
				this.store.enqueue(List.of(job("c", 10)), NOW);
				beat(claim);
				return claim(5).size();
			});
			assertThat(others).succeedsWithin(Duration.ofSeconds(4)).isEqualTo(1);
			return null;
		});
		assertThat(this.signals).contains("cancelled w");
		assertThat(beat(claim)).containsExactly("running");
		assertThat(this.store.settle(List.of(Transition.removed(claim, NOW)), NOW)).containsExactly(Settled.APPLIED);
	}

	/** No row is of the lane, so that nothing of it is locked or written by all. */
	@ParameterizedTest
	@EnumSource(names = { "POSTGRESQL", "H2" })
	void othersOfALaneDoNotWaitForALongTransaction(TestDatabase database) throws Exception {
		use(database);
		Map<String, String> lane = Map.of(Job.LANE_HEADER, "lane");
		this.store.enqueue(List.of(job("a").withHeaders(lane), job("b").withHeaders(lane)), NOW);
		inTransaction((status) -> {
			TransactionalJobStore.join(this.store)
				.orElseThrow()
				.enqueue(List.of(job("of-transaction").withHeaders(lane)), NOW);
			assertThat(CompletableFuture.supplyAsync(() -> {
				this.store.enqueue(List.of(job("c").withHeaders(lane)), NOW);
				List<String> ran = new ArrayList<>();
				for (int i = 0; i < 3; i++) {
					Claim claim = claimsOfLane().get(0);
					this.store.settle(List.of(Transition.removed(claim, NOW)), NOW);
					ran.add(claim.job().id());
				}
				return ran;
			})).succeedsWithin(WHILE_IT_IS_OPEN).isEqualTo(List.of("a", "b", "c"));
			return null;
		});
		assertThat(claimOfLane()).containsExactly("of-transaction");
	}

	@ParameterizedTest
	@MethodSource("databases")
	void changesAreCommittedAndRolledBackToo(TestDatabase database) {
		use(database);
		this.store.enqueue(List.of(job("a"), job("b"), job("c")), NOW);
		for (boolean rollback : new boolean[] { true, false }) {
			inTransaction((status) -> {
				JobStore joined = TransactionalJobStore.join(this.store).orElseThrow();
				assertThat(joined.change(List.of(new Change.Cancel("a"), new Change.Delete("b"),
						new Change.Reschedule("c", NOW.plusSeconds(60))), NOW))
					.containsOnly(Changed.DONE);
				assertThat(joined.inspector().job("a", NOW)).isEmpty();
				if (rollback) {
					status.setRollbackOnly();
				}
				return null;
			});
			assertThat(stored("a", "b", "c")).hasSize(rollback ? 3 : 1);
		}
		assertThat(this.store.inspector().job("c", NOW)).get().matches((job) -> job.state() == JobState.SCHEDULED);
	}

	@ParameterizedTest
	@MethodSource("withManyWriters")
	void laneOfOneDoesNotPassOverAJobThatATransactionChanges(TestDatabase database) {
		use(database);
		this.store.enqueue(
				Stream.of("a", "b").map((id) -> job(id).withHeaders(Map.of(Job.LANE_HEADER, "lane"))).toList(), NOW);
		inTransaction((status) -> {
			TransactionalJobStore.join(this.store)
				.orElseThrow()
				.change(List.of(new Change.Reschedule("a", NOW.plusSeconds(60))), NOW);
			assertThat(CompletableFuture.supplyAsync(this::claimOfLane)).succeedsWithin(WHILE_IT_IS_OPEN)
				.isEqualTo(List.of());
			status.setRollbackOnly();
			return null;
		});
		assertThat(claimOfLane()).containsExactly("a");
		assertThat(claimOfLane()).isEmpty();
	}

	@ParameterizedTest
	@MethodSource("databases")
	void scheduleIsPutAndDroppedWithTheTransaction(TestDatabase database) {
		use(database);
		for (Change change : List.of(put("s", "1"), new Change.DropSchedule("s"))) {
			boolean puts = change instanceof Change.PutSchedule;
			for (boolean rollback : new boolean[] { true, false }) {
				inTransaction((status) -> {
					JobStore joined = TransactionalJobStore.join(this.store).orElseThrow();
					assertThat(joined.change(List.of(change, change), NOW)).containsExactly(
							puts ? Changed.NEW : Changed.DONE, puts ? Changed.UNCHANGED : Changed.NOT_FOUND);
					assertThat(this.store.inspector().schedule("s").isPresent()).isNotEqualTo(puts);
					if (rollback) {
						status.setRollbackOnly();
					}
					return null;
				});
				assertThat(this.store.inspector().schedule("s").isPresent()).isEqualTo(puts != rollback);
			}
		}
	}

	@ParameterizedTest
	@MethodSource("withManyWriters")
	void ticksOfOtherSchedulesDoNotWaitForOneThatIsBeingPut(TestDatabase database) {
		use(database);
		List<Tick> registrations = List.of(declared("c", 0, null), declared("d", 0, null));
		this.store.change(List.of(put("a", "1"), put("b", "1")), NOW);
		this.store.fireTicks(registrations, NOW);
		List<Tick> ticks = List.of(declared("c", 1, job("c")), declared("d", 1, job("d")), declared("c", 2, job("c2")),
				tick("a"), tick("b"));
		for (boolean rollback : new boolean[] { true, false }) {
			inTransaction((status) -> {
				TransactionalJobStore.join(this.store)
					.orElseThrow()
					.change(List.of(put("a", "2"), put(rollback ? "c" : "d", "1")), NOW);
				List<Tick> now = rollback ? ticks : List.of(declared("d", 3, job("d3")), declared("c", 3, job("c3")));
				assertThat(whileItIsOpen(registrations)).extracting((reply) -> reply.equals(TickReply.LOCKED))
					.containsExactly(rollback, !rollback);
				assertThat(whileItIsOpen(now)).extracting((reply) -> reply.equals(TickReply.LOCKED))
					.isEqualTo(rollback ? List.of(true, false, true, true, false) : List.of(true, false));
				if (rollback) {
					status.setRollbackOnly();
				}
				return null;
			});
			assertThat(stored("a", "b", "c", "c2", "c3", "d", "d3"))
				.containsExactlyElementsOf(rollback ? List.of("b", "d") : List.of("b", "c", "c2", "c3", "d"));
			if (rollback) {
				assertThat(this.store.fireTicks(List.of(ticks.get(0), ticks.get(2)), NOW))
					.allMatch((reply) -> reply.enqueued() != null);
			}
		}
		assertThat(this.store.fireTicks(List.of(tick("a"), declared("d", 3, job("d3"))), NOW))
			.allMatch((reply) -> reply.enqueued() == null && reply.latest() != null);
	}

	private List<TickReply> whileItIsOpen(List<Tick> ticks) {
		return CompletableFuture.supplyAsync(() -> this.store.fireTicks(ticks, NOW))
			.orTimeout(4, TimeUnit.SECONDS)
			.join();
	}

	private static Tick declared(String name, int second, @Nullable NewJob job) {
		return Tick.of(new NewSchedule(name, "of code", "work"), NOW.plusSeconds(second), job);
	}

	private static Change put(String name, String version) {
		return new Change.PutSchedule(new NewSchedule(name, "def", "work", version), "spec", NOW.plusSeconds(1),
				Duration.ZERO);
	}

	private static Tick tick(String name) {
		return Tick.of(new NewSchedule(name, "def", "work", "1"), NOW.plusSeconds(1), job(name))
			.withNext(NOW.plusSeconds(9));
	}

	@ParameterizedTest
	@MethodSource("databases")
	void endOfAJobIsCommittedAndRolledBackToo(TestDatabase database) {
		use(database);
		Claim claim = claimed("a");
		for (boolean rollback : new boolean[] { true, false }) {
			inTransaction((status) -> {
				assertThat(TransactionalJobStore.join(this.store)
					.orElseThrow()
					.settle(List.of(Transition.removed(claim, NOW)), NOW)).containsExactly(Settled.APPLIED);
				if (rollback) {
					status.setRollbackOnly();
				}
				return null;
			});
			assertThat(stored("a")).hasSize(rollback ? 1 : 0);
		}
	}

	@ParameterizedTest
	@MethodSource("databases")
	void savedValueIsCommittedAndRolledBackToo(TestDatabase database) {
		use(database);
		Claim claim = claimed("a");
		for (boolean rollback : new boolean[] { true, false }) {
			inTransaction((status) -> {
				JobStore joined = TransactionalJobStore.join(this.store).orElseThrow();
				assertThat(joined.save(List.of(save(claim, "step")), NOW)).containsExactly(Settled.APPLIED);
				assertThat(joined.inspector().saved("work", "a")).hasSize(1);
				if (rollback) {
					status.setRollbackOnly();
				}
				return null;
			});
			assertThat(this.store.inspector().saved("work", "a")).hasSize(rollback ? 0 : 1);
		}
	}

	@ParameterizedTest
	@MethodSource("withSharedLocks")
	void savesAndBeatsDoNotWaitForATransactionThatSaves(TestDatabase database) {
		use(database);
		Claim claim = claimed("a");
		inTransaction((status) -> {
			TransactionalJobStore.join(this.store).orElseThrow().save(List.of(save(claim, "step")), NOW);
			assertThat(CompletableFuture.supplyAsync(() -> this.store.save(List.of(save(claim, "cursor")), NOW)))
				.succeedsWithin(WHILE_IT_IS_OPEN)
				.isEqualTo(List.of(Settled.APPLIED));
			assertThat(CompletableFuture.supplyAsync(() -> beat(claim))).succeedsWithin(WHILE_IT_IS_OPEN);
			return null;
		});
		assertThat(this.store.inspector().saved("work", "a")).hasSize(2);
	}

	@ParameterizedTest
	@MethodSource("databases")
	void endThatIsKeptIsCommittedAndSignalledWithTheTransaction(TestDatabase database) {
		use(database);
		List<Claim> claims = List.of(claimed("a"), claimed("b"));
		this.signals.clear();
		for (boolean rollback : new boolean[] { true, false }) {
			inTransaction((status) -> {
				JobStore joined = TransactionalJobStore.join(this.store).orElseThrow();
				End end = new End(JobState.SUCCEEDED, claims.get(0).job().trail(), new byte[1], NOW.plusSeconds(9));
				assertThat(
						joined.settle(
								List.of(Transition.removed(claims.get(0), NOW).keeping(end),
										Transition.kept(claims.get(1), NOW, claims.get(1).job().trail()).keeping(end)),
								NOW))
					.containsOnly(Settled.APPLIED);
				assertThat(joined.inspector().ends(List.of("a", "b"), NOW)).extractingByKeys("a", "b")
					.extracting(EndView::value)
					.doesNotContainNull();
				assertThat(this.signals).isEmpty();
				if (rollback) {
					status.setRollbackOnly();
				}
				return null;
			});
			assertThat(this.store.inspector().ends(List.of("a", "b"), NOW)).extractingByKeys("a", "b")
				.extracting(EndView::state)
				.containsOnly(rollback ? JobState.RUNNING : JobState.SUCCEEDED);
			assertThat(this.signals).hasSize(rollback ? 0 : 1);
		}
		assertThat(this.signals).containsExactly("ended [a, b]");
	}

	@ParameterizedTest
	@MethodSource("databases")
	void endOfAThingAndTheReleaseOfWhoWaitsForItAreCommittedAndSignalledWithTheTransaction(TestDatabase database) {
		use(database);
		Claim claim = claimed("a");
		this.store.settle(List.of(Transition.waiting(claim, NOW.plusSeconds(9),
				TrailRules.parked(claim.job().trail(), Trail.Wait.of("signal:a", NOW)))), NOW);
		this.signals.clear();
		End end = new End(JobState.SUCCEEDED, Trail.EMPTY, new byte[1], NOW.plusSeconds(9));
		for (boolean rollback : new boolean[] { true, false }) {
			inTransaction((status) -> {
				assertThat(TransactionalJobStore.join(this.store)
					.orElseThrow()
					.change(List.of(new Change.KeepEnd("signal:a", end), new Change.KeepEnd("signal:a", end),
							new Change.Release("signal:a")), NOW))
					.containsExactly(Changed.DONE, Changed.REFUSED, Changed.DONE);
				assertThat(this.signals).isEmpty();
				if (rollback) {
					status.setRollbackOnly();
				}
				return null;
			});
			assertThat(this.store.inspector().ends(List.of("signal:a"), NOW)).hasSize(rollback ? 0 : 1);
			assertThat(this.store.inspector().job("a", NOW)).get()
				.extracting(Job::state)
				.isEqualTo(rollback ? JobState.WAITING : JobState.READY);
		}
		assertThat(this.signals).containsExactlyInAnyOrder("ended [signal:a]", "ready work");
	}

	private static Save save(Claim claim, String name) {
		return new Save(claim.job().id(), "work", claim.token(), name, new byte[1]);
	}

	@ParameterizedTest
	@MethodSource("withManyWriters")
	void jobThatTheTransactionDeletesHoldsBackNothing(TestDatabase database) {
		use(database);
		for (boolean deleted : new boolean[] { false, true }) {
			Claim claim = claimed("a" + deleted);
			inTransaction((status) -> {
				JobStore joined = TransactionalJobStore.join(this.store).orElseThrow();
				assertThat(joined.settle(
						List.of(Transition.heldBack(claim, NOW.plusSeconds(deleted ? 60 : 9), claim.job().trail())),
						NOW))
					.containsExactly(Settled.APPLIED);
				if (deleted) {
					assertThat(joined.change(List.of(new Change.Delete(claim.job().id())), NOW))
						.containsExactly(Changed.DONE);
				}
				return null;
			});
			assertThat(this.store.inspector().gate("work", "", NOW))
				.isEqualTo(deleted ? GateView.OPEN : new GateView(NOW.plusSeconds(9), null));
			this.store.change(List.of(new Change.Resume("work")), NOW);
		}
	}

	@ParameterizedTest
	@MethodSource("withManyWriters")
	void endOfAJobOfALimitedQueueNeitherMeetsClaimsNorHoldsThemUp(TestDatabase database) {
		use(database);
		Claim claim = claimed("ending", 1);
		this.store.enqueue(List.of(job("waiting")), NOW);
		String table = database.prefix(this.store) + "queue";
		JdbcTemplate jdbc = new JdbcTemplate(database.dataSource());
		TransactionTemplate transactions = transactions(TransactionDefinition.PROPAGATION_REQUIRED);
		transactions.setIsolationLevel(TransactionDefinition.ISOLATION_REPEATABLE_READ);
		transactions.executeWithoutResult((status) -> {
			JobStore joined = TransactionalJobStore.join(this.store).orElseThrow();
			assertThat(joined.inspector().job("ending", NOW)).isPresent();
			assertThat(CompletableFuture.runAsync(() -> IntStream.of(2, 1)
				.forEach((hit) -> jdbc.update("update " + table + " set limit_hit = ? where name = 'work'", hit))))
				.succeedsWithin(WHILE_IT_IS_OPEN);
			assertThat(joined.settle(List.of(Transition.removed(claim, NOW)), NOW)).containsExactly(Settled.APPLIED);
			assertThat(CompletableFuture.supplyAsync(() -> claim(1, 1))).succeedsWithin(Duration.ofSeconds(4))
				.asList()
				.isEmpty();
			this.signals.clear();
		});
		assertThat(this.signals).containsExactly("ready work");
		assertThat(claim(1, 1)).hasSize(1);
	}

	@ParameterizedTest
	@MethodSource("withManyWriters")
	void beatWithNotesDoesNotWaitForTheTransactionThatEndsAJob(TestDatabase database) {
		use(database);
		Claim ending = claimed("ending");
		Claim running = claimed("running");
		inTransaction((status) -> {
			TransactionalJobStore.join(this.store).orElseThrow().settle(List.of(Transition.removed(ending, NOW)), NOW);
			assertThat(CompletableFuture.supplyAsync(() -> beat(ending, running))).succeedsWithin(WHILE_IT_IS_OPEN);
			assertThat(progress("running")).isNotNull();
			status.setRollbackOnly();
			return null;
		});
		assertThat(progress("ending")).isNull();
		beat(ending, running);
		assertThat(progress("ending")).isNotNull();
	}

	private Progress progress(String id) {
		return this.store.inspector().job(id, NOW).orElseThrow().run().progress();
	}

	@ParameterizedTest
	@MethodSource("databases")
	void callbackAfterTheCommitJoinsNothing(TestDatabase database) {
		use(database);
		inTransaction((status) -> {
			TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {

				@Override
				public void beforeCommit(boolean readOnly) {
					enqueue(job("a"));
				}

				@Override
				public void afterCommit() {
					assertThat(TransactionalJobStore.join(JoinedStoreTests.this.store)).isEmpty();
				}

			});
			return null;
		});
		assertThat(stored("a")).containsExactly("a");
	}

	@ParameterizedTest
	@MethodSource("databases")
	void nothingIsJoinedWithoutATransaction(TestDatabase database) {
		use(database);
		assertThat(TransactionalJobStore.join(this.store)).isEmpty();
		transactions(TransactionDefinition.PROPAGATION_SUPPORTS)
			.executeWithoutResult((status) -> assertThat(TransactionalJobStore.join(this.store)).isEmpty());
	}

	@ParameterizedTest
	@MethodSource("withManyWriters")
	void transactionThatOnlyReadsIsNotJoined(TestDatabase database) {
		use(database);
		TransactionTemplate reading = transactions(TransactionDefinition.PROPAGATION_REQUIRED);
		reading.setReadOnly(true);
		reading.executeWithoutResult((status) -> assertThat(TransactionalJobStore.join(this.store)).isEmpty());
	}

	@ParameterizedTest
	@MethodSource("databases")
	void transactionOfAnotherDataSourceIsNotJoined(TestDatabase database) {
		use(database);
		new TransactionTemplate(new DataSourceTransactionManager(h2())).executeWithoutResult((status) -> {
			assertThat(TransactionalJobStore.join(this.store)).isEmpty();
			new JdbcTemplate(database.dataSource()).queryForObject("select 1", Integer.class);
			assertThat(TransactionSynchronizationManager.hasResource(database.dataSource())).isTrue();
			assertThat(TransactionalJobStore.join(this.store)).isEmpty();
		});
	}

	@Test
	void transactionOfAProxyOfTheDataSourceIsJoined() {
		DataSource target = h2();
		String prefix = "t_";
		TestDatabase.H2.createTables(target, prefix);
		DataSource lazy = new LazyConnectionDataSourceProxy(target);
		DataSource aware = new TransactionAwareDataSourceProxy(target);
		int number = 0;
		for (Map.Entry<DataSource, DataSource> each : List.of(Map.entry(lazy, lazy), Map.entry(lazy, target),
				Map.entry(target, aware), Map.entry(aware, aware), Map.entry(aware, target))) {
			String id = "job" + number++;
			JobStore store = JdbcJobStore.builder(each.getValue()).tablePrefix(prefix).build();
			new TransactionTemplate(new DataSourceTransactionManager(each.getKey())).executeWithoutResult((status) -> {
				TransactionalJobStore.join(store).orElseThrow().enqueue(List.of(job(id)), NOW);
				store.enqueue(List.of(job(id + "-own")), NOW);
				status.setRollbackOnly();
			});
			assertThat(store.inspector().job(id, NOW)).isEmpty();
			assertThat(store.inspector().job(id + "-own", NOW)).isPresent();
		}
	}

	@Test
	void engineMayHaveADataSourceOfItsOwn() {
		JdbcDataSource target = h2();
		JdbcDataSource same = new JdbcDataSource();
		same.setUrl(target.getUrl());
		TestDatabase.H2.createTables(target, "t_");
		JobStore store = JdbcJobStore.builder(target).engine(same).tablePrefix("t_").build();
		new TransactionTemplate(new DataSourceTransactionManager(same))
			.executeWithoutResult((status) -> assertThat(TransactionalJobStore.join(store)).isEmpty());
		new TransactionTemplate(new DataSourceTransactionManager(target)).executeWithoutResult((status) -> {
			TransactionalJobStore.join(store).orElseThrow().enqueue(List.of(job("a")), NOW);
			assertThat(store.inspector().job("a", NOW)).isEmpty();
		});
		assertThat(store.inspector().job("a", NOW)).isPresent();
	}

	@ParameterizedTest
	@MethodSource("databases")
	void transactionCannotBeCommittedAfterAFaultThatWasCaught(TestDatabase database) {
		use(database);
		assertThatExceptionOfType(JobStoreException.class).isThrownBy(() -> inTransaction((status) -> {
			enqueue(job("a"));
			assertThatExceptionOfType(JobStoreException.class).isThrownBy(this::enqueueInVain);
			return null;
		})).withMessageContaining("The transaction is rolled back");
		assertThat(stored("a")).isEmpty();
		assertThat(this.signals).isEmpty();
	}

	@ParameterizedTest
	@MethodSource("databases")
	void rollbackToASavepointRepairsTheTransaction(TestDatabase database) {
		use(database);
		inTransaction((status) -> {
			enqueue(job("a"));
			assertThatExceptionOfType(JobStoreException.class)
				.isThrownBy(() -> transactions(TransactionDefinition.PROPAGATION_NESTED)
					.executeWithoutResult((nested) -> enqueueInVain()));
			return null;
		});
		assertThat(stored("a")).containsExactly("a");
	}

	private void enqueueInVain() {
		enqueue(NewJob.of("b", null, new byte[0], NOW));
	}

	@ParameterizedTest
	@MethodSource("databases")
	void thousandJobsAndThoseOfJdbcCodeAreCommittedTogether(TestDatabase database) {
		use(database);
		JdbcTemplate jdbc = new JdbcTemplate(database.dataSource());
		String table = "orders_" + UUID.randomUUID().toString().substring(0, 8);
		jdbc.execute("create table " + table + " (id integer)");
		try {
			for (boolean rollback : new boolean[] { true, false }) {
				inTransaction((status) -> {
					jdbc.update("insert into " + table + " values (1)");
					TransactionalJobStore.join(this.store)
						.orElseThrow()
						.enqueue(IntStream.range(0, 1000).mapToObj((i) -> job("job" + i)).toList(), NOW);
					if (rollback) {
						status.setRollbackOnly();
					}
					return null;
				});
				assertThat(jdbc.queryForObject("select count(*) from " + table, Integer.class))
					.isEqualTo(rollback ? 0 : 1);
				assertThat(ready()).isEqualTo(rollback ? 0 : 1000);
			}
		}
		finally {
			jdbc.execute("drop table " + table);
		}
	}

	private long ready() {
		return this.store.inspector()
			.queues(NOW)
			.stream()
			.filter((queue) -> queue.name().equals("work"))
			.mapToLong((queue) -> queue.ready())
			.sum();
	}

	private TransactionTemplate transactions(int propagation) {
		TransactionTemplate template = new TransactionTemplate(
				new DataSourceTransactionManager(this.database.dataSource()));
		template.setPropagationBehavior(propagation);
		return template;
	}

	private void inTransaction(Function<TransactionStatus, Object> work) {
		transactions(TransactionDefinition.PROPAGATION_REQUIRED).execute(work::apply);
	}

	private Enqueued enqueue(NewJob job) {
		return TransactionalJobStore.join(this.store).orElseThrow().enqueue(List.of(job), NOW).get(0);
	}

	private List<String> stored(String... ids) {
		return List.of(ids).stream().filter((id) -> this.store.inspector().job(id, NOW).isPresent()).toList();
	}

	private Claim claimed(String id) {
		return claimed(id, 10);
	}

	private Claim claimed(String id, int maxRunning) {
		this.store.enqueue(List.of(job(id)), NOW);
		this.store.beat(new WorkerBeat("w", Duration.ofMinutes(1), null, List.of(), false, NOW));
		return claim(1, maxRunning).get(0);
	}

	private List<String> claimOfLane() {
		return claimsOfLane().stream().map((claim) -> claim.job().id()).toList();
	}

	private List<Claim> claimsOfLane() {
		this.store.beat(new WorkerBeat("w", Duration.ofMinutes(1), null, List.of(), false, NOW));
		ClaimRequest request = new ClaimRequest("w", List.of(Quota.of("work", 5).withLanes(1, "")), 5, NOW);
		return this.store.claim(request).claims();
	}

	private List<Claim> claim(int count) {
		return claim(count, 10);
	}

	private List<Claim> claim(int count, int maxRunning) {
		Quota quota = Quota.of("work", count).withMaxRunning(maxRunning);
		return this.store.claim(new ClaimRequest("w", List.of(quota), count, NOW)).claims();
	}

	private Set<String> beat(Claim... claims) {
		List<WorkerBeat.Note> notes = Stream.of(claims)
			.map((claim) -> new WorkerBeat.Note(claim.job().id(), "work", claim.token(), Progress.of(null, 1, 2, NOW)))
			.toList();
		return this.store.beat(new WorkerBeat("w", Duration.ofMinutes(1), null, notes, false, NOW)).cancelled();
	}

	private static JdbcDataSource h2() {
		JdbcDataSource dataSource = new JdbcDataSource();
		dataSource.setUrl("jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1");
		return dataSource;
	}

	private static NewJob job(String id) {
		return job(id, 0);
	}

	private static NewJob job(String id, int maxWaiting) {
		return NewJob.of(id, "work", id.getBytes(), NOW).withMaxWaiting(maxWaiting);
	}

	private static NewJob unique(String id) {
		return NewJob.of(id, "work", id.getBytes(), NOW)
			.withUniqueKey(new NewJob.UniqueKey("key", Unique.Mode.UNTIL_DONE, Unique.Scope.NAMESPACE, null,
					Unique.OnDuplicate.KEEP));
	}

}
