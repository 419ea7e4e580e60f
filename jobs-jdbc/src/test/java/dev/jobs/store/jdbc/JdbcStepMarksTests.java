package dev.jobs.store.jdbc;

import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

import dev.jobs.JobStoreException;
import dev.jobs.store.Save;
import dev.jobs.store.StepMarks;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.transaction.TransactionStatus;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for the marks of steps on each database.
 */
class JdbcStepMarksTests {

	private static final Instant NOW = Instant.parse("2026-03-01T10:00:00Z");

	private TestDatabase database;

	private String prefix;

	private StepMarks marks;

	static List<TestDatabase> databases() {
		return JoinedStoreTests.databases();
	}

	static List<TestDatabase> withLocks() {
		return JoinedStoreTests.withManyWriters();
	}

	private void use(TestDatabase database) {
		this.database = database;
		this.prefix = TestDatabase.newPrefix();
		database.createOutbox(this.prefix);
		this.marks = JdbcJobStore.builder(database.dataSource()).tablePrefix(this.prefix).buildStepMarks();
	}

	@AfterEach
	void dropTables() {
		this.database.dropOutbox(this.prefix);
	}

	private void inTransaction(Consumer<TransactionStatus> body) {
		new TransactionTemplate(new DataSourceTransactionManager(this.database.dataSource()))
			.executeWithoutResult(body);
	}

	private void mark(String job, String step, Instant at) {
		this.marks.write(new Save(job, "q", 1, step, step.getBytes()), "p", at);
	}

	private void commit(String job, String step, Instant at) {
		inTransaction((status) -> mark(job, step, at));
	}

	@ParameterizedTest
	@MethodSource("databases")
	void markIsCommittedOrRolledBackWithTheTransaction(TestDatabase database) {
		use(database);
		assertThat(this.marks.inTransaction()).isFalse();
		inTransaction((status) -> {
			assertThat(this.marks.inTransaction()).isTrue();
			mark("j", "undone", NOW);
			status.setRollbackOnly();
		});
		commit("j", "charge", NOW);
		commit("j", "Charge ", NOW);
		assertThat(this.marks.find("j", "p")).containsOnlyKeys("charge", "Charge ")
			.containsEntry("charge", "charge".getBytes());
		assertThat(this.marks.find("j", "other")).isEmpty();
		assertThat(this.marks.find("k", "p")).isEmpty();
	}

	@ParameterizedTest
	@MethodSource("databases")
	void stepIsMarkedOnce(TestDatabase database) {
		use(database);
		commit("j", "charge", NOW);
		assertThatExceptionOfType(JobStoreException.class).isThrownBy(() -> commit("j", "charge", NOW));
		assertThat(this.marks.forget("j", "charge")).isTrue();
		assertThat(this.marks.forget("j", "charge")).isFalse();
		commit("j", "charge", NOW);
	}

	@ParameterizedTest
	@MethodSource("withLocks")
	void ofTwoTransactionsThatMarkAStepTheSecondFails(TestDatabase database) {
		use(database);
		CompletableFuture<Void> second = new CompletableFuture<>();
		inTransaction((status) -> {
			mark("j", "charge", NOW);
			second.completeAsync(() -> {
				commit("j", "charge", NOW);
				return null;
			});
		});
		assertThat(second).failsWithin(30, TimeUnit.SECONDS);
		assertThat(this.marks.find("j", "p")).containsOnlyKeys("charge");
	}

	@ParameterizedTest
	@MethodSource("databases")
	void oldMarksOfJobsAreListedAndForgotten(TestDatabase database) {
		use(database);
		commit("a", "old", NOW.minusSeconds(20));
		commit("b", "old", NOW.minusSeconds(15));
		commit("a", "older", NOW.minusSeconds(10));
		commit("a", "new", NOW);
		assertThat(this.marks.jobs(Instant.EPOCH, NOW, 10)).hasSize(2)
			.containsEntry("a", NOW.minusSeconds(10))
			.containsEntry("b", NOW.minusSeconds(15));
		assertThat(this.marks.jobs(Instant.EPOCH, NOW, 1)).containsOnlyKeys("a");
		assertThat(this.marks.jobs(NOW.minusSeconds(20), NOW, 1)).containsOnlyKeys("b");
		assertThat(this.marks.jobs(NOW.minusSeconds(10), NOW, 10)).isEmpty();
		this.marks.forget(List.of("a", "c"), NOW);
		assertThat(this.marks.find("a", "p")).containsOnlyKeys("new");
		assertThat(this.marks.find("b", "p")).containsOnlyKeys("old");
	}

}
