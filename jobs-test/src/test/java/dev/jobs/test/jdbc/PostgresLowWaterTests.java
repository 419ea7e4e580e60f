package dev.jobs.test.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;

import dev.jobs.store.Claim;
import dev.jobs.store.ClaimReply;
import dev.jobs.store.ClaimRequest;
import dev.jobs.store.JobStore;
import dev.jobs.store.NewJob;
import dev.jobs.store.TakeOver;
import dev.jobs.store.WorkerBeat;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import org.springframework.jdbc.core.JdbcTemplate;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for claims in PostgreSQL that begin where a queue is known to be empty before.
 */
class PostgresLowWaterTests {

	private final JobStore store = TestDatabase.POSTGRESQL.createStore();

	private final JdbcTemplate jdbc = new JdbcTemplate(TestDatabase.POSTGRESQL.dataSource());

	private Instant now = Instant.parse("2030-01-01T00:00:00Z");

	@BeforeEach
	void register() {
		this.store.beat(new WorkerBeat("w", Duration.ofHours(1), null, List.of(), false, this.now));
	}

	@AfterEach
	void destroyStore() {
		TestDatabase.POSTGRESQL.destroyStore(this.store);
	}

	private void enqueue(int from, int count) {
		this.store.enqueue(IntStream.range(from, from + count)
			.mapToObj((i) -> new NewJob("job-" + i, "q", new byte[0], Map.of(), this.now, this.now, null, 0))
			.toList(), this.now);
	}

	private List<String> claim(int count) {
		this.now = this.now.plusMillis(250);
		return this.store
			.claim(new ClaimRequest("w", List.of(new ClaimRequest.Quota("q", count, count, 0)), count, this.now))
			.claims()
			.stream()
			.map((Claim claim) -> claim.job().id())
			.toList();
	}

	private void move(String id, long place) {
		String table = TestDatabase.POSTGRESQL.prefix(this.store) + "job";
		assertThat(this.jdbc.update("update " + table + " set place = ? where id = ?", place, id)).isOne();
	}

	@Test
	void jobBeforeTheMarkIsFoundWithinAMinute() {
		enqueue(0, 10);
		for (int i = 0; i < 8; i++) {
			assertThat(claim(1)).containsExactly("job-" + i);
		}
		move("job-9", 1);
		assertThat(claim(2)).as("the queue is believed to be empty there").containsExactly("job-8");
		this.now = this.now.plusSeconds(60);
		this.store.takeOver(new TakeOver("w", Set.of("q"), Set.of(), 10, this.now));
		assertThat(claim(2)).containsExactly("job-9");
		enqueue(10, 3);
		assertThat(claim(5)).containsExactly("job-10", "job-11", "job-12");
	}

	@Test
	void claimTellsOfAJobThatAnotherHasLocked() throws SQLException {
		enqueue(0, 2);
		try (Connection other = TestDatabase.POSTGRESQL.dataSource().getConnection()) {
			other.setAutoCommit(false);
			try (Statement lock = other.createStatement()) {
				lock.execute("select 1 from " + TestDatabase.POSTGRESQL.prefix(this.store)
						+ "job where id = 'job-0' for update");
			}
			ClaimReply reply = this.store
				.claim(new ClaimRequest("w", List.of(new ClaimRequest.Quota("q", 1, 1, 9)), 1, this.now));
			other.rollback();
			assertThat(reply.claims()).extracting((claim) -> claim.job().id()).containsExactly("job-1");
			assertThat(reply.queues()).containsExactly(new ClaimReply.Left("q", true, null));
		}
	}

	@Test
	void jobsAtTheFrontAreFoundAtOnce() {
		enqueue(0, 10);
		for (int i = 0; i < 8; i++) {
			claim(1);
		}
		move("job-9", -1);
		assertThat(claim(2)).containsExactly("job-9", "job-8");
	}

}
