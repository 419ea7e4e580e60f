package dev.jobs.engine;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Objects;
import java.util.OptionalInt;
import java.util.Set;
import java.util.SortedMap;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.stream.Stream;

import dev.jobs.HandlerOptions;
import dev.jobs.JobClient;
import dev.jobs.UnknownNameException;
import dev.jobs.cron.RecurringJob;
import dev.jobs.engine.context.TestPoints;
import dev.jobs.engine.enqueue.EnqueuePipe;
import dev.jobs.engine.loop.LoopStatus;
import dev.jobs.engine.outbox.OutboxRelay;
import dev.jobs.engine.result.Callers;
import dev.jobs.engine.result.Results;
import dev.jobs.engine.result.SignalSender;
import dev.jobs.engine.run.Run;
import dev.jobs.engine.schedule.CronTicker;
import dev.jobs.engine.settings.HandlerRegistry.Registered;
import dev.jobs.engine.settings.Pool;
import dev.jobs.operations.JobOperations;
import dev.jobs.store.PruneRequest;
import dev.jobs.store.support.StoreFault;
import dev.jobs.store.view.JobInspector;
import dev.jobs.store.view.QueueView;
import org.jspecify.annotations.Nullable;

/**
 * Runs jobs. A {@link JobEngineBuilder} builds it once with all its handlers. It may be
 * started and stopped any number of times; its client always works.
 * <p>
 * A job goes through these parts, in this order: the {@link EnqueuePipe} stores it, a
 * {@link dev.jobs.engine.claim.Claimer} claims it and puts it into the
 * {@link dev.jobs.engine.run.Line} of a {@link dev.jobs.engine.run.WorkerPool}, the
 * {@link dev.jobs.engine.run.JobRunner} runs it and the
 * {@link dev.jobs.engine.settle.Settler} decides what becomes of it, while the
 * {@link dev.jobs.engine.lease.Heartbeat} keeps the {@link dev.jobs.engine.lease.Lease}.
 * The {@link dev.jobs.engine.upkeep.Rescuer} takes over the jobs of a dead worker, the
 * {@link CronTicker} enqueues by schedule, the {@link dev.jobs.engine.run.Watchdog} stops
 * runs that take too long, the {@link dev.jobs.engine.upkeep.Pruner} tidies up and
 * {@link dev.jobs.engine.upkeep.Unserved} logs names without a handler. The
 * {@link OutboxRelay} carries jobs that were enqueued in the application's transactions.
 */
public final class JobEngine {

	private static final Duration LONG_AFTER = Duration.ofDays(36500);

	private final EngineParts parts;

	private final JobClient client;

	private final JobOperations operations;

	private final Results results;

	private final @Nullable OutboxRelay outbox;

	private volatile @Nullable Worker worker;

	private volatile @Nullable Worker manual;

	JobEngine(EngineParts parts) {
		this.parts = parts;
		StoredJobs stored = new StoredJobs(parts.callersStore(), parts.newJobs(), parts.pools(),
				parts.transactions().marks());
		this.results = new Results(parts.store(), parts.clock(), parts.callersStore()::now);
		DefaultJobClient client = new DefaultJobClient(parts.pipe(), stored,
				new Callers(parts.pipe(), this.results, parts.registry().serializer(), new CallersHost()),
				new SignalSender(parts.callersStore(), parts.registry().serializer()));
		this.client = client;
		this.operations = new DefaultJobOperations(stored, client, parts.refusals(), parts.recurringJobs(),
				parts.calendars(), parts.scheduleFaults(), null);
		this.outbox = parts.outbox();
	}

	/**
	 * Return the client, which works whether the engine is started or not.
	 */
	public JobClient client() {
		return this.client;
	}

	/**
	 * Return what operators see and do, which works whether the engine is started or not.
	 */
	public JobOperations operations() {
		return this.operations;
	}

	/**
	 * Return the reading side of the store.
	 */
	public JobInspector inspector() {
		return this.parts.store().inspector();
	}

	/**
	 * Return the clock of this engine. If the store has a time, the clock follows it as
	 * last learnt, whatever the clock of this machine does; before that, and with other
	 * stores, it shows the application's time. It never blocks.
	 */
	public InstantSource clock() {
		return this.parts.clock()::now;
	}

	/**
	 * Return the time by that clock. If the store's time has not been learnt for a while,
	 * this asks the store first, so it may block like any call to the store.
	 */
	public Instant now() {
		return this.parts.callersStore().now();
	}

	/**
	 * Return the names of the handlers.
	 */
	public Set<String> handlers() {
		return Set.copyOf(this.parts.registry().names());
	}

	/**
	 * Return how many attempts the jobs of a name have.
	 * @return the number, or empty if this application has no handler for them
	 */
	public OptionalInt maxAttempts(String name) {
		Registered registered = this.parts.registry().find(name);
		return (registered == null) ? OptionalInt.empty()
				: OptionalInt.of(registered.options().getRetryPolicy().getMaxAttempts());
	}

	/**
	 * Change how the jobs of a handler are run by this engine, until the application
	 * ends. Running jobs continue, and end by the policy in force then; jobs that were
	 * claimed but not started are claimed again.
	 * @param name the name of its jobs
	 * @param options changes the options
	 * @throws UnknownNameException if this engine has no handler for them
	 */
	public void changeHandler(String name, Consumer<? super HandlerOptions.Builder> options) {
		Set<String> queues = this.parts.registry().change(name, options);
		Worker worker = this.worker;
		if (worker != null) {
			worker.changed(queues);
		}
	}

	/**
	 * Change how many jobs a pool of this engine runs at once, until the application
	 * ends. If more are running now, they continue, and no job starts until enough have
	 * ended.
	 * @param name the name of the pool
	 * @param concurrency how many jobs it runs at once
	 * @throws UnknownNameException if there is no such pool
	 */
	public void changePool(String name, int concurrency) {
		Pool pool = this.parts.pools()
			.stream()
			.filter((each) -> each.name().equals(name))
			.findFirst()
			.orElseThrow(() -> new UnknownNameException("There is no pool '" + name + "'; there are "
					+ this.parts.pools().stream().map(Pool::name).toList()));
		pool.setConcurrency(concurrency);
		Worker worker = this.worker;
		if (worker != null) {
			worker.resized();
		}
	}

	/**
	 * Start running jobs; does nothing if the engine is started. If the store is out of
	 * reach, the engine starts anyway and works once the store is back.
	 */
	public synchronized void start() {
		if (this.worker != null) {
			return;
		}
		this.parts.pipe().open();
		this.results.reopen();
		Worker worker = new Worker(this.parts);
		try {
			worker.start(this.parts.threadFactories());
		}
		catch (RuntimeException | Error ex) {
			worker.stop(Duration.ZERO);
			throw ex;
		}
		this.worker = worker;
		// A pool may have changed meanwhile.
		worker.resized();
	}

	/**
	 * Start to carry jobs from the outbox to the store, whether the engine is started or
	 * not. Does nothing if this has been started, or if there is no outbox.
	 */
	public void startRelay() {
		if (this.outbox != null) {
			this.outbox.start();
		}
	}

	/**
	 * Stop carrying jobs from the outbox to the store. Its jobs stay there for other
	 * processes, or until the next start.
	 */
	public void stopRelay() {
		if (this.outbox != null) {
			this.outbox.stop();
		}
	}

	/**
	 * Return whether the engine is started.
	 */
	public boolean isRunning() {
		return this.worker != null;
	}

	/**
	 * Stop running jobs. Nothing further starts; jobs claimed but not started go back to
	 * the front of their queues at once. Running jobs may end within the grace period;
	 * after it they are interrupted and go back without having used an attempt. Does
	 * nothing if the engine is not started. The client keeps working.
	 * @param grace how long running jobs may continue; zero to interrupt them at once
	 * @return how it went
	 */
	public synchronized StopReport stop(Duration grace) {
		Worker worker = this.worker;
		if (worker == null) {
			return new StopReport(0, 0, List.of(), true);
		}
		try {
			return worker.stop(grace);
		}
		finally {
			this.worker = null;
		}
	}

	/**
	 * Stop at once: nothing further starts once this returns, and running jobs are
	 * interrupted.
	 * @return how it went
	 */
	public StopReport stopNow() {
		return stop(Duration.ZERO);
	}

	/**
	 * Wait until no job of this engine's handlers is due or running, on any worker. Jobs
	 * that are not yet due do not count; paused ones do.
	 * @param timeout how long to wait
	 * @return what is left
	 */
	public DrainReport drain(Duration timeout) {
		long end = this.parts.clock().nanosAfter(timeout);
		while (true) {
			DrainReport report = look();
			if (report.isComplete() || this.parts.clock().nanos() >= end || Thread.currentThread().isInterrupted()) {
				return report;
			}
			LockSupport.parkNanos(Duration.ofMillis(5).toNanos());
		}
	}

	private DrainReport look() {
		Worker worker = this.worker;
		boolean quiet = worker == null || worker.isQuiet();
		long ready = 0;
		long running = 0;
		for (QueueView queue : this.parts.store().inspector().queues(this.parts.clock().now())) {
			if (this.parts.registry().find(queue.name()) != null) {
				ready += queue.ready();
				running += queue.running();
			}
		}
		return new DrainReport(ready, quiet ? running : Math.max(running, 1));
	}

	/**
	 * Take no more jobs, wait until the queues are empty, and stop.
	 * @param timeout how long to wait for the queues to become empty
	 * @return what was left when the engine stopped
	 */
	public DrainReport close(Duration timeout) {
		closeClient();
		DrainReport report = drain(timeout);
		stop(Duration.ZERO);
		return report;
	}

	/**
	 * Refuse enqueues from now on until the next start, and release producers that wait
	 * for room.
	 */
	public void closeClient() {
		this.parts.pipe().close();
		this.results.close();
	}

	/**
	 * Look at everything again now, because the clock was moved or the store was changed
	 * behind the engine's back.
	 */
	public void wake() {
		Worker worker = this.worker;
		if (worker != null) {
			worker.wake();
		}
		if (this.outbox != null) {
			this.outbox.wake();
		}
	}

	/**
	 * Work by hand: only {@link #runUntilIdle()} runs jobs, and a caller who waits for
	 * the result of one.
	 */
	public synchronized void workByHand() {
		if (this.manual == null) {
			this.manual = new Worker(this.parts);
		}
	}

	/**
	 * Do everything that is due now on the calling thread: beat, schedules, rescue, and
	 * every job that is due or in the outbox, until nothing is left. For tests and batch
	 * programs; the engine must not be started.
	 * @return how many jobs were run
	 */
	public synchronized int runUntilIdle() {
		if (this.worker != null) {
			throw new IllegalStateException("The engine is started and runs jobs by itself");
		}
		workByHand();
		Worker manual = Objects.requireNonNull(this.manual);
		if (this.outbox == null) {
			return manual.runUntilIdle();
		}
		int all = 0;
		int last;
		do {
			this.outbox.relayAll();
			last = manual.runUntilIdle();
			all += last;
		}
		while (last > 0);
		return all;
	}

	/**
	 * Record a line that a job's handler wrote to its log. It is shown with the job: live
	 * while it runs, and with the attempt if that fails. The newest lines are kept,
	 * bounded and without control characters. Does nothing if this engine has no such
	 * run.
	 * @param jobId the id of the job, which is
	 * {@value dev.jobs.engine.context.LogContext#JOB_ID} in the diagnostic context of its
	 * thread
	 * @param token the fencing token of the run, which is
	 * {@value dev.jobs.engine.context.LogContext#TOKEN} there
	 * @param line the line
	 */
	public void logged(String jobId, String token, String line) {
		Worker worker = (this.worker != null) ? this.worker : this.manual;
		if (worker != null) {
			worker.running().log(jobId, token, line);
		}
	}

	/**
	 * Return the engine's status.
	 */
	public EngineStatus status() {
		Worker worker = this.worker;
		LoopStatus relay = (this.outbox != null) ? this.outbox.status() : null;
		List<LoopStatus> loops = Stream
			.concat((worker != null) ? worker.loops().stream() : Stream.of(), Stream.ofNullable(relay))
			.toList();
		List<String> refused = this.parts.refusals().faults().stream().map(StoreFault::text).toList();
		if (worker == null) {
			return new EngineStatus(false, loops, 0, List.of(), List.of(), refused);
		}
		List<String> stuck = worker.running().all().stream().filter(Run::isStuck).map(Run::id).toList();
		return new EngineStatus(true, loops, worker.busy(), stuck, worker.poolsNow(), refused);
	}

	/**
	 * Forget what the store keeps for a time, such as signals, results and the windows of
	 * throttles, as if all of these times were over. This is for tests, between which the
	 * clock stands still.
	 */
	public void forgetKept() {
		Instant later = this.parts.clock().now().plus(LONG_AFTER);
		this.parts.store().prune(new PruneRequest(null, 0, null, 0, null, null, Integer.MAX_VALUE, later));
	}

	/**
	 * Return what tests want of runs.
	 */
	public TestPoints testPoints() {
		return this.parts.testPoints();
	}

	/**
	 * Return why schedules that were put at run time do not tick on this engine, although
	 * it has a worker and all others do, by their names.
	 */
	public SortedMap<String, String> scheduleFaults() {
		return this.parts.scheduleFaults().all(now());
	}

	/**
	 * Return the schedules of this engine, whether it is started or not.
	 */
	public List<RecurringJob> recurringJobs() {
		return List.copyOf(this.parts.recurringJobs());
	}

	/**
	 * This engine, as its callers see it.
	 */
	private final class CallersHost implements Callers.Host {

		@Override
		public boolean isInTransaction() {
			return JobEngine.this.parts.callersStore().gate().inTransaction();
		}

		@Override
		public boolean isOnThreadOfPoolFor(String name) {
			Worker worker = (JobEngine.this.worker != null) ? JobEngine.this.worker : JobEngine.this.manual;
			return worker != null && worker.isOnThreadOfPoolFor(name);
		}

		@Override
		public void workByHand() {
			if (JobEngine.this.worker == null && JobEngine.this.manual != null) {
				runUntilIdle();
			}
		}

	}

}
