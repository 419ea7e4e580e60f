package dev.jobs.store.jdbc;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.IntStream;

import dev.jobs.store.Claim;
import dev.jobs.store.ClaimRequest;
import dev.jobs.store.JobStore;
import dev.jobs.store.NewJob;
import dev.jobs.store.WorkerBeat;
import org.junit.jupiter.api.AfterEach;

/**
 * Tests on each database, with a store for each test and a worker that runs some jobs.
 */
abstract class OnEachDatabase {

	static final Instant NOW = Instant.parse("2030-01-01T00:00:00Z");

	TestDatabase database;

	JobStore store;

	static List<TestDatabase> databases() {
		return TestDatabase.present();
	}

	static List<TestDatabase> withManyWriters() {
		return databases().stream().filter((database) -> database != TestDatabase.SQLITE).toList();
	}

	void use(TestDatabase database) {
		this.database = database;
		this.store = database.createStore();
	}

	@AfterEach
	void destroyStore() {
		this.database.destroyStore(this.store);
	}

	void beat(Instant now) {
		this.store.beat(new WorkerBeat("w", Duration.ofMinutes(1), null, List.of(), false, now));
	}

	List<Claim> started(int count) {
		beat(NOW);
		this.store.enqueue(
				IntStream.range(0, count).mapToObj((i) -> NewJob.of("job-" + i, "q", new byte[0], NOW)).toList(), NOW);
		return this.store.claim(new ClaimRequest("w", List.of(ClaimRequest.Quota.of("q", count)), count, NOW)).claims();
	}

}
