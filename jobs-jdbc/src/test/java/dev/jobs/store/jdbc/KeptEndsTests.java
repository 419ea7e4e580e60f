package dev.jobs.store.jdbc;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

import dev.jobs.JobState;
import dev.jobs.Trail;
import dev.jobs.store.Claim;
import dev.jobs.store.End;
import dev.jobs.store.PruneRequest;
import dev.jobs.store.Settled;
import dev.jobs.store.TransactionalJobStore;
import dev.jobs.store.Transition;
import dev.jobs.store.view.EndView;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for the ends that are kept, on each database.
 */
class KeptEndsTests extends OnEachDatabase {

	private static End end(int value) {
		return new End(JobState.SUCCEEDED, Trail.EMPTY, new byte[] { (byte) value }, NOW.plusSeconds(10));
	}

	private static Transition stale(Transition transition, int value) {
		return transition.withToken(transition.token() - 1).keeping(end(value));
	}

	private Map<String, EndView> ends() {
		return this.store.inspector().ends(List.of("job-0", "job-1"), NOW);
	}

	@ParameterizedTest
	@MethodSource("databases")
	void ofTheEndsOfAJobInOneCallThatOfTheRunThatHoldsItIsKept(TestDatabase database) {
		use(database);
		List<Claim> claims = started(2);
		Transition removed = Transition.removed(claims.get(0), NOW);
		Transition kept = Transition.kept(claims.get(1), NOW, Trail.EMPTY);
		assertThat(this.store
			.settle(List.of(removed.keeping(end(1)), stale(removed, 2), stale(kept, 3), kept.keeping(end(4))), NOW))
			.containsExactly(Settled.APPLIED, Settled.GONE, Settled.LOST, Settled.APPLIED);
		assertThat(ends()).extractingByKeys("job-0", "job-1")
			.extracting(EndView::value)
			.containsExactly(new byte[] { 1 }, new byte[] { 4 });
	}

	@ParameterizedTest
	@MethodSource("databases")
	void endOfARunThatHoldsItsJobNoLongerIsNotKept(TestDatabase database) {
		use(database);
		List<Claim> claims = started(2);
		this.store.settle(List.of(stale(Transition.removed(claims.get(0), NOW), 1),
				stale(Transition.kept(claims.get(1), NOW, Trail.EMPTY), 2)), NOW);
		assertThat(new JdbcTemplate(database.dataSource())
			.queryForObject("select count(*) from " + database.prefix(this.store) + "end", Long.class)).isZero();
	}

	@ParameterizedTest
	@MethodSource("withManyWriters")
	void pruneDoesNotWaitForATransactionThatReplacesAnEnd(TestDatabase database) {
		use(database);
		this.store.settle(started(2).stream().map((each) -> Transition.removed(each, NOW).keeping(end(1))).toList(),
				NOW);
		Claim again = started(1).get(0);
		Instant later = NOW.plusSeconds(20);
		new TransactionTemplate(new DataSourceTransactionManager(database.dataSource()))
			.executeWithoutResult((status) -> {
				End end = new End(JobState.SUCCEEDED, Trail.EMPTY, new byte[] { 2 }, later.plusSeconds(10));
				TransactionalJobStore.join(this.store)
					.orElseThrow()
					.settle(List.of(Transition.removed(again, later).keeping(end)), later);
				assertThat(CompletableFuture
					.supplyAsync(() -> this.store.prune(new PruneRequest(null, 0, null, 0, null, null, 100, later))))
					.succeedsWithin(Duration.ofSeconds(20));
			});
		assertThat(ends()).containsOnlyKeys("job-0")
			.extractingByKey("job-0")
			.extracting(EndView::value)
			.isEqualTo(new byte[] { 2 });
	}

}
