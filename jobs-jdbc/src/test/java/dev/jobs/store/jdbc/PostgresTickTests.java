package dev.jobs.store.jdbc;

import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import dev.jobs.store.JobStore;
import dev.jobs.store.NewJob;
import dev.jobs.store.NewSchedule;
import dev.jobs.store.Tick;
import dev.jobs.store.TickReply;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import org.springframework.jdbc.core.JdbcTemplate;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for ticks in PostgreSQL that meet those of another worker.
 */
class PostgresTickTests {

	private static final Instant NOW = Instant.parse("2030-01-01T00:00:00Z");

	private final JobStore store = TestDatabase.POSTGRESQL.createStore();

	private final String table = TestDatabase.POSTGRESQL.prefix(this.store) + "schedule";

	private final JdbcTemplate jdbc = new JdbcTemplate(TestDatabase.POSTGRESQL.dataSource());

	@AfterEach
	void destroyStore() {
		TestDatabase.POSTGRESQL.destroyStore(this.store);
	}

	private static Tick tick(String schedule, int number) {
		return Tick.of(new NewSchedule(schedule, "def", "q"), NOW.plusSeconds(number),
				NewJob.of(schedule + number, "q", new byte[0], NOW));
	}

	private boolean somebodyWaits() {
		return Boolean.TRUE.equals(this.jdbc.queryForObject("""
				select count(*) > 0 from pg_stat_activity
				where wait_event_type = 'Lock' and position(? in query) > 0""", Boolean.class, this.table));
	}

	@Test
	void allSchedulesOfACallAreLockedInTheOrderOfTheirNames() throws Exception {
		this.store.fireTicks(List.of(tick("a", 0), tick("z", 0)), NOW);
		try (Connection other = this.jdbc.getDataSource().getConnection();
				Statement statement = other.createStatement()) {
			other.setAutoCommit(false);
			statement.executeQuery("select name from " + this.table + " where name = 'a' for update");
			CompletableFuture<List<TickReply>> fired = CompletableFuture.supplyAsync(
					() -> this.store.fireTicks(List.of(tick("z", 1), tick("z", 2), tick("a", 1), tick("z", 3)), NOW));
			Awaitility.await("the other worker").atMost(Duration.ofSeconds(30)).until(this::somebodyWaits);
			statement.executeQuery("select name from " + this.table + " where name = 'z' for update nowait");
			other.commit();
			assertThat(fired.get(30, TimeUnit.SECONDS)).extracting((reply) -> reply.enqueued().id())
				.containsExactly("z1", "z2", "a1", "z3");
		}
	}

}
