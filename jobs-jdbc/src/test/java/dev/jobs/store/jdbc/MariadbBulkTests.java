package dev.jobs.store.jdbc;

import java.time.Duration;
import java.time.Instant;
import java.util.List;

import dev.jobs.store.Claim;
import dev.jobs.store.ClaimRequest;
import dev.jobs.store.ClaimRequest.Quota;
import dev.jobs.store.JobStore;
import dev.jobs.store.NewJob;
import dev.jobs.store.Settled;
import dev.jobs.store.Transition;
import dev.jobs.store.WorkerBeat;
import org.junit.jupiter.api.Test;

import org.springframework.jdbc.datasource.DriverManagerDataSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for MariaDB with a driver that sends batches in bulk.
 */
class MariadbBulkTests {

	private static final Instant NOW = Instant.parse("2026-03-01T10:00:00Z");

	@Test
	void repeatedEndsAreNotMistakenForNewOnes() {
		DriverManagerDataSource bulk = new DriverManagerDataSource(
				TestDatabase.MARIADB.connectionUrl() + "&useBulkStmts=true");
		String prefix = TestDatabase.newPrefix();
		TestDatabase.MARIADB.createTables(bulk, prefix);
		JobStore store = JdbcJobStore.builder(bulk).tablePrefix(prefix).build();
		store.enqueue(List.of(job("a"), job("b"), job("c"), job("d")), NOW);
		store.beat(new WorkerBeat("w", Duration.ofMinutes(1), null, List.of(), false, NOW));
		List<Claim> claims = store.claim(new ClaimRequest("w", List.of(Quota.of("work", 4).withMaxRunning(10)), 4, NOW))
			.claims();
		assertThat(claims).hasSize(4);
		List<Transition> ends = claims.stream().map((claim) -> Transition.removed(claim, NOW)).toList();
		assertThat(store.settle(ends, NOW)).containsOnly(Settled.APPLIED);
		assertThat(store.settle(ends, NOW)).containsOnly(Settled.GONE);
	}

	private static NewJob job(String id) {
		return NewJob.of(id, "work", id.getBytes(), NOW);
	}

}
