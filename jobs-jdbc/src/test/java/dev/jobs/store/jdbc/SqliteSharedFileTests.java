package dev.jobs.store.jdbc;

import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.jobs.store.Claim;
import dev.jobs.store.ClaimRequest;
import dev.jobs.store.ClaimRequest.Quota;
import dev.jobs.store.NewJob;
import dev.jobs.store.Transition;
import dev.jobs.store.WorkerBeat;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for several stores on one SQLite file, as in several processes.
 */
class SqliteSharedFileTests {

	private static final int THREADS = 4;

	private static final int JOBS_PER_THREAD = 25;

	private final Set<String> enqueued = ConcurrentHashMap.newKeySet();

	private final Queue<String> claimed = new ConcurrentLinkedQueue<>();

	@TempDir
	private Path directory;

	private HikariDataSource pool() {
		HikariConfig config = new HikariConfig();
		config.setJdbcUrl("jdbc:sqlite:" + this.directory.resolve("jobs.db"));
		config.setMaximumPoolSize(THREADS + 1);
		return new HikariDataSource(config);
	}

	@Test
	void storesWaitForEachOtherAndNeverFindTheDatabaseLocked() throws Exception {
		ExecutorService threads = Executors.newFixedThreadPool(2 * THREADS);
		try (HikariDataSource one = pool(); HikariDataSource other = pool()) {
			TestDatabase.SQLITE.createTables(one, "jobs_");
			List<Future<?>> all = new ArrayList<>();
			for (HikariDataSource pool : List.of(one, other)) {
				JdbcJobStore store = JdbcJobStore.builder(pool).build();
				for (int i = 0; i < THREADS; i++) {
					all.add(threads.submit(() -> work(store)));
				}
			}
			for (Future<?> each : all) {
				each.get(120, TimeUnit.SECONDS);
			}
			assertThat(this.claimed).doesNotHaveDuplicates().containsExactlyInAnyOrderElementsOf(this.enqueued);
		}
		finally {
			threads.shutdownNow();
		}
	}

	/**
	 * Enqueue some jobs and claim and settle as many, looking at what there is now and
	 * then.
	 */
	private void work(JdbcJobStore store) {
		String worker = UUID.randomUUID().toString();
		store.beat(new WorkerBeat(worker, Duration.ofMinutes(5), null, List.of(), false, Instant.now()));
		for (int i = 0; i < JOBS_PER_THREAD; i++) {
			NewJob job = NewJob.of(UUID.randomUUID().toString(), "q", new byte[100], Instant.now());
			store.enqueue(List.of(job), Instant.now());
			this.enqueued.add(job.id());
			for (Claim claim : store.claim(new ClaimRequest(worker, List.of(Quota.of("q", 1)), 1, Instant.now()))
				.claims()) {
				this.claimed.add(claim.job().id());
				store.settle(List.of(Transition.removed(claim, Instant.now())), Instant.now());
			}
			assertThat(store.inspector().queues(Instant.now())).hasSize(1);
		}
	}

}
