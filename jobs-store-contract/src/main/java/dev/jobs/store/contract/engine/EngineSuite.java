package dev.jobs.store.contract.engine;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CopyOnWriteArrayList;

import dev.jobs.Job;
import dev.jobs.JobFilter;
import dev.jobs.JobState;
import dev.jobs.engine.JobEngine;
import dev.jobs.engine.JobEngineBuilder;
import dev.jobs.store.JobStore;
import dev.jobs.store.contract.AllJobs;
import dev.jobs.store.contract.StoreInvariants;
import dev.jobs.store.view.QueueView;
import dev.jobs.test.SettableClock;
import org.awaitility.Awaitility;
import org.awaitility.core.ThrowingRunnable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/**
 * The base of tests of whole engines: a store, a clock that stands still until it is
 * moved, and the end of every engine after each test, when the store is searched for
 * contradictions.
 * <p>
 * A test that needs no threads runs jobs by {@link JobEngine#runUntilIdle()}.
 */
public abstract class EngineSuite {

	/** What the settable clock shows when a test begins. */
	protected static final Instant START = Instant.parse("2030-01-01T00:00:00Z");

	private static final Duration PATIENCE = Duration.ofSeconds(90);

	private final List<JobEngine> engines = new CopyOnWriteArrayList<>();

	private final List<JobStore> stores = new ArrayList<>();

	/** The clock of the engines, unless a test gives them another. */
	protected final SettableClock clock = SettableClock.at(START);

	/** The store, empty when a test begins. */
	@SuppressWarnings("NullAway.Init")
	protected JobStore store;

	/**
	 * Return a store of an empty namespace that no other test uses. It must not return a
	 * time of its own, which would overrule the settable clock.
	 * @return the store
	 */
	protected abstract JobStore createStore();

	/**
	 * Clean up after a test.
	 * @param store a store made by {@link #createStore()}
	 */
	protected void destroyStore(JobStore store) {
	}

	@BeforeEach
	void prepareStore() {
		this.store = anotherStore();
	}

	@AfterEach
	void stopEnginesAndDestroyStores() {
		try {
			this.engines.forEach(JobEngine::closeClient);
			this.engines.forEach(JobEngine::stopNow);
			this.stores.forEach((store) -> StoreInvariants.check(store, this.clock.instant()));
		}
		finally {
			this.stores.forEach(this::destroyStore);
		}
	}

	/**
	 * Return a store of a namespace of its own.
	 * @return the store, destroyed after the test
	 */
	protected final JobStore anotherStore() {
		JobStore store = createStore();
		this.stores.add(store);
		return store;
	}

	/**
	 * Begin to build an engine on the store and the settable clock.
	 * @return the builder
	 */
	protected final JobEngineBuilder builder() {
		return new JobEngineBuilder(this.store).clock(this.clock);
	}

	/**
	 * Build an engine that is woken by the settable clock and stopped after the test.
	 * @param builder its parts
	 * @return the engine, not started
	 */
	protected final JobEngine build(JobEngineBuilder builder) {
		JobEngine engine = builder.build();
		this.engines.add(engine);
		this.clock.onAdvance(engine::wake);
		return engine;
	}

	/**
	 * Build an engine as by {@link #build} and start it.
	 * @param builder its parts
	 * @return the engine
	 */
	protected final JobEngine start(JobEngineBuilder builder) {
		JobEngine engine = build(builder);
		engine.start();
		return engine;
	}

	/**
	 * Wait until something is so.
	 * @param what what is waited for
	 * @param condition returns whether it is so
	 */
	protected static void await(String what, Callable<Boolean> condition) {
		Awaitility.await(what).atMost(PATIENCE).pollInterval(Duration.ofMillis(2)).until(condition);
	}

	/**
	 * Wait until an assertion holds.
	 * @param assertion the assertion
	 */
	protected static void await(ThrowingRunnable assertion) {
		Awaitility.await().atMost(PATIENCE).pollInterval(Duration.ofMillis(2)).untilAsserted(assertion);
	}

	/**
	 * Return a stored job as it is seen at the time of the settable clock.
	 * @param id its id
	 * @return the job
	 */
	protected final Job job(String id) {
		return this.store.inspector()
			.job(id, this.clock.instant())
			.orElseThrow(() -> new AssertionError("There is no job " + id));
	}

	/**
	 * Return whether a job is stored, in whatever state.
	 * @param id its id
	 * @return whether it is
	 */
	protected final boolean exists(String id) {
		return this.store.inspector().job(id, this.clock.instant()).isPresent();
	}

	/**
	 * Return all jobs in one of some states, in the order of the inspector.
	 * @param states the states; all if none is given
	 * @return the jobs
	 */
	protected final List<Job> jobs(JobState... states) {
		return AllJobs.of(this.store.inspector(), JobFilter.of((only) -> only.states(states)), this.clock.instant());
	}

	/**
	 * Return a queue as it is seen at the time of the settable clock.
	 * @param name its name
	 * @return the queue
	 */
	protected final QueueView queue(String name) {
		return this.store.inspector()
			.queues(this.clock.instant())
			.stream()
			.filter((queue) -> queue.name().equals(name))
			.findFirst()
			.orElseThrow(() -> new AssertionError("There is no queue " + name));
	}

}
