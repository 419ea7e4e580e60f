package dev.jobs.store.jdbc;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import dev.jobs.JobStoreException;
import dev.jobs.store.Claim;
import dev.jobs.store.JobStore;
import dev.jobs.store.PruneRequest;
import dev.jobs.store.Save;
import dev.jobs.store.Settled;
import dev.jobs.store.TakeOver;
import dev.jobs.store.TransactionalJobStore;
import dev.jobs.store.Transition;
import dev.jobs.store.WorkerBeat;
import dev.jobs.store.view.SavedView;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for the values that jobs save, on each database.
 */
class SavedValuesTests extends OnEachDatabase {

	private static final Duration PATIENCE = Duration.ofSeconds(60);

	private static Save save(Claim claim, String name) {
		return new Save(claim.job().id(), "q", claim.token(), name, new byte[1]);
	}

	private List<String> saved(String job) {
		return this.store.inspector().saved("q", job).stream().map(SavedView::name).toList();
	}

	private void pruneAfter(Duration time) {
		this.store.prune(new PruneRequest(null, 0, null, 0, null, null, 100, NOW.plus(time)));
	}

	@ParameterizedTest
	@MethodSource("databases")
	void valuesThatAnEndDidNotRemoveArePruned(TestDatabase database) {
		use(database);
		List<Claim> claims = started(5);
		claims.forEach((claim) -> this.store.save(List.of(save(claim, "a"), save(claim, "b")), NOW));
		this.store.settle(List.of(Transition.removed(claims.get(0), NOW),
				Transition.kept(claims.get(1), NOW, claims.get(1).job().trail()),
				Transition.dead(claims.get(2), NOW, claims.get(2).job().trail()),
				Transition.scheduled(claims.get(3), NOW.plusSeconds(9), claims.get(3).job().trail())), NOW);
		pruneAfter(Duration.ofSeconds(1));
		assertThat(saved(claims.get(0).job().id())).containsExactly("a", "b");
		pruneAfter(Duration.ofMinutes(2));
		assertThat(claims).extracting((claim) -> saved(claim.job().id()).size()).containsExactly(0, 0, 2, 2, 2);
	}

	@ParameterizedTest
	@MethodSource("databases")
	void pruneLooksAtTheValuesOfAllJobsInTurn(TestDatabase database) {
		use(database);
		List<Claim> claims = started(30);
		claims.forEach((claim) -> this.store
			.save(IntStream.range(0, 100).mapToObj((i) -> save(claim, "name-" + i)).toList(), NOW));
		this.store.settle(claims.stream().map((claim) -> Transition.removed(claim, NOW)).toList(), NOW);
		IntStream.range(0, 4).forEach((i) -> pruneAfter(Duration.ofMinutes(2)));
		assertThat(claims).allSatisfy((claim) -> assertThat(saved(claim.job().id())).isEmpty());
	}

	@ParameterizedTest
	@MethodSource("databases")
	void nameThatIsTooLongIsRefusedForGood(TestDatabase database) {
		use(database);
		Claim claim = started(1).get(0);
		assertThat(this.store.save(List.of(save(claim, "x".repeat(400))), NOW)).containsExactly(Settled.APPLIED);
		assertThatExceptionOfType(JobStoreException.class)
			.isThrownBy(() -> this.store.save(List.of(save(claim, "a"), save(claim, "x".repeat(401))), NOW))
			.matches((ex) -> ex.isRefused() && !ex.isTemporary());
		assertThat(saved(claim.job().id())).containsExactly("x".repeat(400));
	}

	@Test
	void nameWithACharacterThatPostgresCannotKeepIsRefusedForGood() {
		use(TestDatabase.POSTGRESQL);
		Claim claim = started(1).get(0);
		assertThatExceptionOfType(JobStoreException.class)
			.isThrownBy(() -> this.store.save(List.of(save(claim, "a"), save(claim, "b\0")), NOW))
			.withMessageContaining("0x00")
			.matches((ex) -> ex.isRefused() && !ex.isTemporary());
		assertThat(saved(claim.job().id())).isEmpty();
	}

	/**
	 * Without a lock the save would be answered by what was committed before.
	 */
	@Test
	void saveWaitsForATakeoverAndIsLost() throws Exception {
		use(TestDatabase.POSTGRESQL);
		Claim claim = started(1).get(0);
		String table = this.database.prefix(this.store) + "job";
		CompletableFuture<List<Settled>> save = new CompletableFuture<>();
		transactions().executeWithoutResult((status) -> {
			new JdbcTemplate(this.database.dataSource()).update("update " + table + " set token = token + 1");
			save.completeAsync(() -> this.store.save(List.of(save(claim, "a")), NOW));
			awaitWaiting("%" + table + "%");
			assertThat(save).isNotDone();
		});
		assertThat(save.get(60, TimeUnit.SECONDS)).containsExactly(Settled.LOST);
		assertThat(saved(claim.job().id())).isEmpty();
	}

	@Test
	void takeoverWaitsForASaveAndFindsTheValue() throws Exception {
		use(TestDatabase.POSTGRESQL);
		Claim claim = started(1).get(0);
		CompletableFuture<List<String>> found = new CompletableFuture<>();
		transactions().executeWithoutResult((status) -> {
			JobStore joined = TransactionalJobStore.join(this.store).orElseThrow();
			assertThat(joined.save(List.of(save(claim, "a")), NOW)).containsExactly(Settled.APPLIED);
			found.completeAsync(() -> {
				Instant later = NOW.plusSeconds(120);
				this.store.beat(new WorkerBeat("x", Duration.ofMinutes(1), null, List.of(), false, later));
				return Stream
					.generate(() -> this.store.takeOver(new TakeOver("x", Set.of("q"), Map.of(), 10, later)).claims())
					.filter((claims) -> !claims.isEmpty())
					.findFirst()
					.map((claims) -> saved(claims.get(0).job().id()))
					.orElseThrow();
			});
			assertThat(found).isNotDone();
		});
		assertThat(found.get(60, TimeUnit.SECONDS)).containsExactly("a");
	}

	private TransactionTemplate transactions() {
		return new TransactionTemplate(new DataSourceTransactionManager(this.database.dataSource()));
	}

	private void awaitWaiting(String query) {
		Awaitility.await("a statement that waits for a lock")
			.atMost(PATIENCE)
			.until(() -> new JdbcTemplate(this.database.dataSource()).queryForObject(
					"select count(*) from pg_stat_activity where wait_event_type = 'Lock' and query like ?", Long.class,
					query) > 0);
	}

}
