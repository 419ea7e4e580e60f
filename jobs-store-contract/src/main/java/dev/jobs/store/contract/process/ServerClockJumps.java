package dev.jobs.store.contract.process;

import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Semaphore;

import dev.jobs.JobResult;
import dev.jobs.JobStoreException;
import dev.jobs.engine.JobEngine;
import dev.jobs.engine.JobEngineBuilder;
import dev.jobs.engine.settings.EngineSettings;
import dev.jobs.engine.settings.HandlerDefinition;
import dev.jobs.store.ClaimRequest;
import dev.jobs.store.ClaimRequest.Quota;
import dev.jobs.store.JobStore;
import dev.jobs.store.NewJob;
import dev.jobs.store.WorkerBeat;
import dev.jobs.store.view.WorkerView;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for jobs when the clock of the server is set while it runs, by
 * {@linkplain ServerClock a library} that not every machine has.
 */
public abstract class ServerClockJumps {

	private static final Duration LEASE = Duration.ofSeconds(6);

	private final List<JobEngine> engines = new ArrayList<>();

	private final Queue<String> starts = new ConcurrentLinkedQueue<>();

	private final Semaphore mayEnd = new Semaphore(0);

	@TempDir
	@SuppressWarnings("NullAway.Init")
	private Path directory;

	@SuppressWarnings("NullAway.Init")
	private ServerClock clock;

	@SuppressWarnings("NullAway.Init")
	private JobStore store;

	/**
	 * Start a server.
	 * @param clock the clock that it sees
	 * @param directory where it may keep files
	 * @return a store on it
	 */
	protected abstract JobStore start(ServerClock clock, Path directory);

	/**
	 * Close the store and stop the server.
	 */
	protected abstract void close();

	@BeforeEach
	void startServer() {
		this.clock = new ServerClock(this.directory);
		this.store = start(this.clock, this.directory);
		// The first connection may take long on a busy machine.
		Awaitility.await()
			.atMost(Processes.PATIENCE)
			.ignoreExceptionsInstanceOf(JobStoreException.class)
			.until(this.store::time, Optional::isPresent);
	}

	@AfterEach
	void stop() {
		this.mayEnd.release(100);
		this.engines.forEach(JobEngine::closeClient);
		this.engines.forEach(JobEngine::stopNow);
		close();
	}

	private JobEngine startWorker(Duration beat) {
		JobEngine engine = new JobEngineBuilder(this.store)
			.settings(EngineSettings.defaults().withLease(LEASE, beat).withPoll(Duration.ofMillis(500)))
			.handler(HandlerDefinition.of("hold", Object.class, (payload, context) -> {
				this.starts.add(context.id());
				this.mayEnd.acquire();
				return JobResult.done();
			}))
			.build();
		this.engines.add(engine);
		engine.start();
		return engine;
	}

	private void awaitStart(String id) {
		Awaitility.await().atMost(Processes.PATIENCE).until(() -> this.starts.contains(id));
	}

	/**
	 * Wait until there are two workers, both of which know how far the clock is ahead.
	 */
	private void awaitWorkers(Duration ahead, Runnable meanwhile) {
		Awaitility.await().atMost(Processes.PATIENCE).pollInterval(Duration.ofMillis(10)).until(() -> {
			meanwhile.run();
			Instant now = Instant.now().plus(ahead);
			List<WorkerView> workers = this.store.inspector().workers(Instant.EPOCH);
			return workers.size() == 2 && workers.stream()
				.allMatch((worker) -> Duration.between(worker.lastBeat(), now).abs().compareTo(LEASE) < 0);
		});
	}

	/**
	 * One worker learns the new time long before the other one, which looks for vanished
	 * workers meanwhile.
	 */
	@Test
	void clockThatIsSetBackTimeAndAgainRobsNoLiveWorker() {
		Duration ahead = Duration.ofHours(3);
		this.clock.setAhead(ahead);
		String held = startWorker(LEASE.dividedBy(30)).client().enqueue("hold").id();
		awaitStart(held);
		startWorker(LEASE.dividedBy(3));
		awaitWorkers(ahead, () -> {
		});
		for (int i = 0; i < 8; i++) {
			ahead = ahead.minus(Duration.ofSeconds((i % 2 == 0) ? 60 : 1200));
			this.clock.setAhead(ahead);
			awaitWorkers(ahead, () -> {
			});
		}
		assertThat(this.starts).containsExactly(held);
	}

	@Test
	void jobsOfAWorkerThatDiedWhileTheClockWasAheadRunOnceItIsRight() {
		Duration ahead = Duration.ofHours(1);
		this.clock.setAhead(ahead);
		Runnable beat = () -> this.store
			.beat(new WorkerBeat("dead", LEASE.multipliedBy(3), null, List.of(), false, time()));
		beat.run();
		this.store.enqueue(List.of(NewJob.of("00held", "hold", new byte[0], time())), time());
		assertThat(this.store.claim(new ClaimRequest("dead", List.of(Quota.of("hold", 1)), 1, time())).claims())
			.hasSize(1);
		startWorker(LEASE.dividedBy(12));
		awaitWorkers(ahead, beat);
		this.clock.setAhead(Duration.ZERO);
		awaitStart("00held");
		assertThat(this.starts).containsExactly("00held");
	}

	private Instant time() {
		return this.store.time().orElseThrow();
	}

}
