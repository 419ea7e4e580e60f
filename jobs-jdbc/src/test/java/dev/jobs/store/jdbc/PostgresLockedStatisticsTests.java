package dev.jobs.store.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;

import dev.jobs.JobResult;
import dev.jobs.engine.JobEngine;
import dev.jobs.engine.JobEngineBuilder;
import dev.jobs.engine.settings.EngineSettings;
import dev.jobs.engine.settings.HandlerDefinition;
import dev.jobs.store.BeatReply;
import dev.jobs.store.JobStore;
import dev.jobs.store.WorkerBeat;
import dev.jobs.store.WorkerBeat.Report;
import dev.jobs.store.view.JobInspector.Period;
import dev.jobs.store.view.Tally;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests on PostgreSQL while the table of the statistics is locked, as by
 * {@code vacuum full} or {@code alter table}.
 */
class PostgresLockedStatisticsTests {

	private static final Duration PATIENCE = Duration.ofSeconds(180);

	private static final Duration LEASE = Duration.ofSeconds(3);

	private final JobStore store = TestDatabase.POSTGRESQL.createStore();

	private final String prefix = TestDatabase.POSTGRESQL.prefix(this.store);

	private Connection lock() throws SQLException {
		Connection connection = TestDatabase.POSTGRESQL.dataSource().getConnection();
		connection.setAutoCommit(false);
		try (Statement statement = connection.createStatement()) {
			statement.execute("lock table " + this.prefix + "tally in access exclusive mode");
		}
		return connection;
	}

	@AfterEach
	void destroyStore() {
		TestDatabase.POSTGRESQL.destroyStore(this.store);
	}

	@Test
	void beatRenewsTheLeaseAndItsReportIsAddedOnceItIsSentAgain() throws SQLException {
		Instant now = Instant.parse("2030-01-01T00:00:00Z");
		long[] cells = new long[Tally.CELLS];
		cells[0] = 7;
		Report report = new Report(1, List.of(Tally.of("q", now, cells)));
		WorkerBeat beat = new WorkerBeat("w", LEASE, null, List.of(), report, false, now);
		try (Connection locking = lock()) {
			BeatReply reply = this.store.beat(beat);
			assertThat(reply.reported()).isFalse();
			assertThat(reply.serverTime()).isNotNull();
			assertThat(this.store.inspector().workers(now)).extracting("id").containsExactly("w");
			locking.rollback();
		}
		for (int i = 0; i < 2; i++) {
			assertThat(this.store.beat(beat).reported()).isTrue();
		}
		assertThat(this.store.inspector()
			.statistics(Set.of("q"), new Period(now, now.plus(1, ChronoUnit.HOURS), Duration.ofMinutes(1))))
			.singleElement()
			.satisfies((tally) -> assertThat(tally.cells()[0]).isEqualTo(7));
	}

	@Test
	void jobsRunForLongerThanALeaseWithoutABreak() throws SQLException {
		AtomicInteger ran = new AtomicInteger();
		JobEngine engine = new JobEngineBuilder(this.store)
			.handler(HandlerDefinition.of("q", Object.class, (payload, context) -> {
				ran.incrementAndGet();
				return JobResult.done();
			}))
			.settings(EngineSettings.defaults().withLease(LEASE, Duration.ofSeconds(1)))
			.build();
		engine.start();
		try (Connection locking = lock()) {
			long end = System.nanoTime() + LEASE.multipliedBy(3).toNanos();
			for (int expected = 1; System.nanoTime() < end; expected++) {
				int many = expected;
				engine.client().enqueue("q", many);
				Awaitility.await("run " + many)
					.pollInterval(Duration.ofMillis(100))
					.atMost(LEASE)
					.until(() -> ran.get() == many);
			}
			locking.rollback();
			Awaitility.await("the statistics")
				.atMost(PATIENCE)
				.until(() -> this.store.inspector()
					.statistics(Set.of("q"),
							new Period(Instant.now().minusSeconds(600), Instant.now().plusSeconds(600),
									Duration.ofMinutes(1)))
					.stream()
					.mapToLong((tally) -> tally.cells()[1])
					.sum() == ran.get());
		}
		finally {
			engine.stopNow();
		}
	}

}
