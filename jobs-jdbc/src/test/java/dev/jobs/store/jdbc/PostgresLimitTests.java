package dev.jobs.store.jdbc;

import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

import dev.jobs.store.Claim;
import dev.jobs.store.ClaimRequest;
import dev.jobs.store.JobStore;
import dev.jobs.store.NewJob;
import dev.jobs.store.Settled;
import dev.jobs.store.StoreListener;
import dev.jobs.store.Transition;
import dev.jobs.store.WorkerBeat;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import org.springframework.jdbc.core.JdbcTemplate;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for running limits in PostgreSQL while others count.
 */
class PostgresLimitTests {

	private static final Instant NOW = Instant.parse("2030-01-01T00:00:00Z");

	private final JobStore store = TestDatabase.POSTGRESQL.createStore();

	private final String table = TestDatabase.POSTGRESQL.prefix(this.store) + "queue";

	private final JdbcTemplate jdbc = new JdbcTemplate(TestDatabase.POSTGRESQL.dataSource());

	@AfterEach
	void destroyStore() {
		TestDatabase.POSTGRESQL.destroyStore(this.store);
	}

	private Claim claim() {
		this.store.beat(new WorkerBeat("w", Duration.ofHours(1), null, List.of(), false, NOW));
		this.store.enqueue(List.of(job("a"), job("b")), NOW);
		List<Claim> claims = this.store
			.claim(new ClaimRequest("w", List.of(ClaimRequest.Quota.of("q", 1).withMaxRunning(1)), 1, NOW))
			.claims();
		assertThat(claims).hasSize(1);
		return claims.get(0);
	}

	private static NewJob job(String id) {
		return NewJob.of(id, "q", new byte[0], NOW);
	}

	private boolean somebodyWaits() {
		return Boolean.TRUE.equals(this.jdbc.queryForObject("""
				select count(*) > 0 from pg_stat_activity
				where wait_event_type = 'Lock' and position(? in query) > 0""", Boolean.class, this.table));
	}

	@Test
	void endOfAJobWakesAClaimThatHasJustCountedIt() throws Exception {
		Claim claim = claim();
		LinkedBlockingQueue<String> told = new LinkedBlockingQueue<>();
		try (Connection counting = this.jdbc.getDataSource().getConnection();
				JobStore.Subscription subscription = this.store.listen(new StoreListener() {

					@Override
					public void ready(String queue, Instant at) {
						told.add(queue);
					}

				})) {
			counting.setAutoCommit(false);
			try (Statement statement = counting.createStatement()) {
				statement.executeQuery("select name from " + this.table + " where name = 'q' for update");
				told.clear();
				CompletableFuture<List<Settled>> settled = CompletableFuture
					.supplyAsync(() -> this.store.settle(List.of(Transition.removed(claim, NOW)), NOW));
				Awaitility.await("the end").atMost(Duration.ofSeconds(30)).until(this::somebodyWaits);
				statement.executeUpdate("update " + this.table + " set limit_hit = 1 where name = 'q'");
				counting.commit();
				assertThat(settled.get(30, TimeUnit.SECONDS)).containsExactly(Settled.APPLIED);
			}
			assertThat(told.poll(30, TimeUnit.SECONDS)).isEqualTo("q");
		}
	}

}
