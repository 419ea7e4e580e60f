package dev.jobs.engine;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import java.util.stream.Stream;

import dev.jobs.EnqueueInterceptor;
import dev.jobs.JobClient;
import dev.jobs.JobListener;
import dev.jobs.JobOperations;
import dev.jobs.RunInterceptor;
import dev.jobs.cron.RecurringJob;
import dev.jobs.serialization.JacksonPayloadSerializer;
import dev.jobs.serialization.PayloadSerializer;
import dev.jobs.store.JobInspector;
import dev.jobs.store.JobStore;
import dev.jobs.store.Outbox;
import dev.jobs.store.OutboxTarget;
import dev.jobs.store.QueueView;
import dev.jobs.store.TransactionalJobStore;
import dev.jobs.store.WorkerInfo;
import org.jspecify.annotations.Nullable;

/**
 * Runs jobs. Built once with all its handlers, it may be started and stopped any number
 * of times; its client works in any case.
 * <p>
 * What happens to a job is told by the parts, in this order: {@link DefaultJobClient}
 * stores it, {@link Claimer} leases it for a {@link WorkerPool}, {@link JobRunner} runs
 * it and {@link Settler} decides what becomes of it, while {@link Heartbeat} keeps the
 * lease. {@link Rescuer} takes over what a dead worker left, {@link CronTicker} enqueues
 * by schedule, {@link Watchdog} ends what takes too long, {@link Pruner} tidies up and
 * {@link Unserved} logs names that nobody has a handler for. {@link OutboxRelay} brings
 * what transactions of the application have enqueued.
 */
public final class JobEngine {

	/** The key under which the diagnostic context of a run has the id of its job. */
	public static final String MDC_JOB_ID = "job.id";

	/** The key under which the diagnostic context of a run has its fencing token. */
	public static final String MDC_TOKEN = "job.token";

	private final JobStore store;

	private final HandlerRegistry registry;

	private final EngineSettings settings;

	private final StoreClock clock;

	private final EventBus events;

	private final Tallies tallies = new Tallies();

	private final NewJobs newJobs;

	private final DefaultJobClient client;

	private final DefaultJobOperations operations;

	private final Builder builder;

	private final @Nullable OutboxRelay outbox;

	private volatile @Nullable Worker worker;

	private volatile @Nullable Worker manual;

	private JobEngine(Builder builder) {
		this.builder = builder;
		this.store = builder.store;
		this.settings = builder.settings;
		this.clock = builder.clock;
		this.events = new EventBus(builder.listeners);
		this.registry = new HandlerRegistry(builder.handlers, builder.serializer);
		this.newJobs = new NewJobs(this.registry, builder.serializer, builder.rules, this.settings.maxPayloadBytes(),
				this.clock);
		this.outbox = builder.outbox(this.events, this.clock, this.tallies);
		this.client = new DefaultJobClient(this.store, this.newJobs, builder.enqueueInterceptors, builder.enqueueGate,
				this.events, this.clock, this.tallies, this.outbox);
		this.operations = new DefaultJobOperations(
				new StoredJobs(this.store, builder.enqueueGate, this.clock, this.registry), this.client, this.clock,
				builder.recurringJobs);
		builder.requireServed(this.registry);
		builder.requireTransactions();
	}

	/**
	 * Begin to build an engine.
	 * @param store the store
	 * @return the builder
	 */
	public static Builder builder(JobStore store) {
		return new Builder(store);
	}

	/**
	 * Return the client, which works whether the engine is started or not.
	 * @return the client
	 */
	public JobClient client() {
		return this.client;
	}

	/**
	 * Return what operators see and do, which works whether the engine is started or not.
	 * @return the operations
	 */
	public JobOperations operations() {
		return this.operations;
	}

	/**
	 * Return the reading side of the store.
	 * @return the inspector
	 */
	public JobInspector inspector() {
		return this.store.inspector();
	}

	/**
	 * Return the clock by which this engine goes. Where the store has a time, it shows
	 * that as it was learnt last, whatever the clock of this machine does; until it was
	 * learnt, and with other stores, the time of the application. It never blocks.
	 * @return the clock
	 */
	public InstantSource clock() {
		return this.clock::now;
	}

	/**
	 * Return the present by that clock, after asking the store for its time if that has
	 * not been learnt for a while; so this may block as any call of the store.
	 * @return the present
	 */
	public Instant now() {
		this.clock.askNowAndThen(() -> this.store);
		return this.clock.now();
	}

	/**
	 * Return the names of the handlers.
	 * @return the names
	 */
	public Set<String> handlers() {
		return Set.copyOf(this.registry.names());
	}

	/**
	 * Start running jobs; does nothing if that is so already. With the store out of reach
	 * the engine starts all the same and works once it is back.
	 */
	public synchronized void start() {
		if (this.worker != null) {
			return;
		}
		this.client.open();
		Worker worker = newWorker();
		try {
			worker.start(this.builder.threadFactories);
		}
		catch (RuntimeException | Error ex) {
			worker.stop(Duration.ZERO);
			throw ex;
		}
		this.worker = worker;
	}

	/**
	 * Start to carry jobs from the outbox to the store, be the engine started or not.
	 * Does nothing if that is so already, or if there is no outbox.
	 */
	public void startRelay() {
		if (this.outbox != null) {
			this.outbox.start();
		}
	}

	/**
	 * Carry no more jobs from the outbox to the store. What is in it stays there for
	 * other processes, or until the next start.
	 */
	public void stopRelay() {
		if (this.outbox != null) {
			this.outbox.stop();
		}
	}

	/**
	 * Return whether the engine is started.
	 * @return {@code true} if it is
	 */
	public boolean isRunning() {
		return this.worker != null;
	}

	/**
	 * Stop running jobs. Nothing further starts; jobs claimed but not started go back to
	 * the front of their queues at once. Running jobs may end within the grace, then they
	 * are interrupted and go back without having used an attempt. Does nothing if the
	 * engine is not started. The client goes on working.
	 * @param grace how long running jobs may go on; zero to interrupt them at once
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
	 * Wait until no job of this engine's handlers is due or running, here or anywhere.
	 * Jobs that are not yet due do not count; paused ones do.
	 * @param timeout how long to wait
	 * @return what is left
	 */
	public DrainReport drain(Duration timeout) {
		long end = this.clock.nanosAfter(timeout);
		while (true) {
			DrainReport report = look();
			if (report.isComplete() || this.clock.nanos() >= end || Thread.currentThread().isInterrupted()) {
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
		for (QueueView queue : this.store.inspector().queues(this.clock.now())) {
			if (this.registry.find(queue.name()) != null) {
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
		this.client.close();
		DrainReport report = drain(timeout);
		stop(Duration.ZERO);
		return report;
	}

	/**
	 * Refuse enqueues from now on until the next start, and release producers that wait
	 * for room.
	 */
	public void closeClient() {
		this.client.close();
	}

	/**
	 * Look at everything again now, since the clock was moved or the store changed behind
	 * the engine's back.
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
	 * Do on the calling thread all that is due now: beat, schedules, rescue, and every
	 * job that is due or in the outbox, until nothing is. For tests and batch programs;
	 * the engine must not be started.
	 * @return how many jobs were run
	 */
	public synchronized int runUntilIdle() {
		if (this.worker != null) {
			throw new IllegalStateException("The engine is started and runs jobs by itself");
		}
		if (this.manual == null) {
			this.manual = newWorker();
		}
		if (this.outbox == null) {
			return this.manual.runUntilIdle();
		}
		int all = 0;
		int last;
		do {
			this.outbox.relayAll();
			last = this.manual.runUntilIdle();
			all += last;
		}
		while (last > 0);
		return all;
	}

	/**
	 * Take note of a line that the handler of a job wrote to its log, to be shown with
	 * the job: live while it runs, and with the attempt if that fails. The newest lines
	 * are kept, within bounds and without control characters. Does nothing if there is no
	 * such run in this engine.
	 * @param jobId the id of the job, which is {@value #MDC_JOB_ID} in the diagnostic
	 * context of its thread
	 * @param token the fencing token of the run, which is {@value #MDC_TOKEN} there
	 * @param line the line
	 */
	public void logged(String jobId, String token, String line) {
		Worker worker = (this.worker != null) ? this.worker : this.manual;
		if (worker != null) {
			worker.logged(jobId, token, line);
		}
	}

	/**
	 * Return how the engine fares.
	 * @return its status
	 */
	public Status status() {
		Worker worker = this.worker;
		PollLoop.Status relay = (this.outbox != null) ? this.outbox.status() : null;
		List<Loop> loops = Stream
			.concat((worker != null) ? worker.loops().stream() : Stream.of(), Stream.ofNullable(relay))
			.map((loop) -> new Loop(loop.name(), loop.lastSuccess(), loop.faults(), loop.lag()))
			.toList();
		if (worker == null) {
			return new Status(false, loops, 0, List.of(), List.of());
		}
		List<String> stuck = worker.runs().stream().filter(Run::isStuck).map(Run::id).toList();
		return new Status(true, loops, worker.busy(), stuck, worker.poolsNow());
	}

	/**
	 * Return the schedules of this engine, whether it is started or not.
	 * @return the schedules
	 */
	public List<RecurringJob> recurringJobs() {
		return List.copyOf(this.builder.recurringJobs);
	}

	private Worker newWorker() {
		Shared shared = new Shared(UUID.randomUUID().toString(), this.store, this.registry, this.settings, this.clock,
				this.events, this.tallies);
		return new Worker(shared, this.builder.pools(), this.builder.runInterceptors, this.builder.recurringJobs,
				new Worker.ClientParts(this.client, this.newJobs), new ThreadRandom(),
				this.builder.handlerTransactions);
	}

	/**
	 * How a stop went.
	 *
	 * @param finished how many running jobs ended by themselves meanwhile
	 * @param interrupted how many were interrupted and went back to their queues
	 * @param stuck the ids of jobs whose handlers ignored their interruption; they were
	 * given back and may run twice
	 * @param settled whether the store has heard of every end
	 */
	public record StopReport(int finished, int interrupted, List<String> stuck, boolean settled) {

	}

	/**
	 * What is left after a drain.
	 *
	 * @param ready jobs that wait although they are due
	 * @param running jobs that run
	 */
	public record DrainReport(long ready, long running) {

		/**
		 * Return whether nothing is left.
		 * @return {@code true} if nothing is
		 */
		public boolean isComplete() {
			return this.ready == 0 && this.running == 0;
		}

	}

	/**
	 * How an engine fares.
	 *
	 * @param running whether it is started
	 * @param loops its loops
	 * @param busy how many jobs it runs
	 * @param stuck the ids of jobs that go on although they were told to end
	 * @param pools its pools
	 */
	public record Status(boolean running, List<Loop> loops, int busy, List<String> stuck, List<WorkerInfo.Pool> pools) {

	}

	/**
	 * A loop of the engine.
	 *
	 * @param name its name
	 * @param lastSuccess when it last went well
	 * @param faults how often it has failed since
	 * @param lag how long its next success has been awaited; zero while it rests
	 */
	public record Loop(String name, Instant lastSuccess, int faults, Duration lag) {

	}

	/**
	 * Builds an engine.
	 */
	public static final class Builder {

		private final JobStore store;

		private StoreClock clock = new StoreClock(StoreClock.SYSTEM, true);

		private PayloadSerializer serializer = new JacksonPayloadSerializer();

		private EngineSettings settings = EngineSettings.defaults();

		private final Map<String, PoolOptions> pools = new LinkedHashMap<>();

		private final List<HandlerDefinition> handlers = new ArrayList<>();

		private final Map<String, EnqueueRule> rules = new HashMap<>();

		private final List<RecurringJob> recurringJobs = new ArrayList<>();

		private final List<RunInterceptor> runInterceptors = new ArrayList<>();

		private final List<EnqueueInterceptor> enqueueInterceptors = new ArrayList<>();

		private EnqueueGate enqueueGate = EnqueueGate.OPEN;

		private @Nullable Outbox outbox;

		private Duration outboxPoll = Duration.ZERO;

		private Duration rememberFor = Duration.ZERO;

		private @Nullable HandlerTransactions handlerTransactions;

		private final List<JobListener> listeners = new ArrayList<>();

		private Function<String, ThreadFactory> threadFactories = Builder::platformThreads;

		private Builder(JobStore store) {
			this.store = store;
		}

		/**
		 * Use another clock than the system's.
		 * @param clock the clock
		 * @return this builder
		 */
		public Builder clock(InstantSource clock) {
			return clock(clock, clock.getClass().getName());
		}

		/**
		 * Use another clock than the system's.
		 * @param clock the clock
		 * @param name what the log calls it
		 * @return this builder
		 */
		public Builder clock(InstantSource clock, String name) {
			this.clock = StoreClock.of(clock, name);
			return this;
		}

		/**
		 * Use another clock for that of the machine, which may be wrong and may jump.
		 * @param clock the clock
		 * @return this builder
		 */
		Builder machineClock(InstantSource clock) {
			this.clock = new StoreClock(clock, true);
			return this;
		}

		/**
		 * Use another serializer than the default one.
		 * @param serializer the serializer
		 * @return this builder
		 */
		public Builder serializer(PayloadSerializer serializer) {
			this.serializer = serializer;
			return this;
		}

		/**
		 * Use other settings than the defaults.
		 * @param settings the settings
		 * @return this builder
		 */
		public Builder settings(EngineSettings settings) {
			this.settings = settings;
			return this;
		}

		/**
		 * Set the concurrency of the default pool, which is 20 otherwise.
		 * @param concurrency how many jobs it runs at once
		 * @return this builder
		 */
		public Builder concurrency(int concurrency) {
			return pool(PoolOptions.ofDefault(concurrency));
		}

		/**
		 * Add a pool, or replace the one of that name.
		 * @param pool the pool
		 * @return this builder
		 */
		public Builder pool(PoolOptions pool) {
			this.pools.put(pool.name(), pool);
			return this;
		}

		/**
		 * Add a handler.
		 * @param handler the handler
		 * @return this builder
		 */
		public Builder handler(HandlerDefinition handler) {
			this.handlers.add(handler);
			return this;
		}

		/**
		 * Add handlers.
		 * @param handlers the handlers
		 * @return this builder
		 */
		public Builder handlers(Collection<HandlerDefinition> handlers) {
			this.handlers.addAll(handlers);
			return this;
		}

		/**
		 * Set what holds for every enqueue of a name, before what its payload's type and
		 * its handler say.
		 * @param name the name
		 * @param rule the rule
		 * @return this builder
		 */
		public Builder rule(String name, EnqueueRule rule) {
			this.rules.put(HandlerDefinition.requireValidName(name), rule);
			return this;
		}

		/**
		 * Add a schedule.
		 * @param recurringJob the schedule and its job
		 * @return this builder
		 */
		public Builder recurringJob(RecurringJob recurringJob) {
			HandlerDefinition.requireValidName(recurringJob.name());
			HandlerDefinition.requireValidName(recurringJob.jobName());
			if (this.recurringJobs.stream().anyMatch((other) -> other.name().equals(recurringJob.name()))) {
				throw new IllegalArgumentException("The schedule '" + recurringJob.name() + "' is defined twice");
			}
			this.recurringJobs.add(recurringJob);
			return this;
		}

		/**
		 * Add interceptors around runs, the outermost first.
		 * @param interceptors the interceptors
		 * @return this builder
		 */
		public Builder runInterceptors(List<RunInterceptor> interceptors) {
			this.runInterceptors.addAll(interceptors);
			return this;
		}

		/**
		 * Add interceptors around enqueues, the outermost first.
		 * @param interceptors the interceptors
		 * @return this builder
		 */
		public Builder enqueueInterceptors(List<EnqueueInterceptor> interceptors) {
			this.enqueueInterceptors.addAll(interceptors);
			return this;
		}

		/**
		 * Hold enqueues back while a transaction is in progress, instead of none.
		 * @param enqueueGate tells which and how long
		 * @return this builder
		 */
		public Builder enqueueGate(EnqueueGate enqueueGate) {
			this.enqueueGate = enqueueGate;
			return this;
		}

		/**
		 * Write enqueues within transactions to an outbox, from where the
		 * {@linkplain #startRelay() relay} carries them to the store. The gate tells when
		 * there is a transaction.
		 * @param outbox the outbox
		 * @param poll how long to rest between two looks into it unless woken
		 * @param rememberFor how long the store remembers jobs that it got from there
		 * @return this builder
		 */
		public Builder outbox(Outbox outbox, Duration poll, Duration rememberFor) {
			this.outbox = outbox;
			this.outboxPoll = poll;
			this.rememberFor = rememberFor;
			return this;
		}

		private @Nullable OutboxRelay outbox(EventBus events, StoreClock clock, Tallies tallies) {
			if (this.outbox == null) {
				return null;
			}
			OutboxTarget target = this.store.as(OutboxTarget.class);
			if (target == null) {
				throw new IllegalArgumentException("There is an outbox, but the store cannot remember jobs");
			}
			return new OutboxRelay(this.outbox, this.store, target, this.enqueueGate, events, clock, tallies,
					this.outboxPoll, this.rememberFor);
		}

		/**
		 * Set the transactions of those handlers whose options ask for them.
		 * @param handlerTransactions the transactions, which the store must be able to
		 * join
		 * @return this builder
		 */
		public Builder handlerTransactions(HandlerTransactions handlerTransactions) {
			this.handlerTransactions = handlerTransactions;
			return this;
		}

		/**
		 * Add listeners.
		 * @param listeners the listeners
		 * @return this builder
		 */
		public Builder listeners(List<JobListener> listeners) {
			this.listeners.addAll(listeners);
			return this;
		}

		/**
		 * Use other threads for running jobs than platform threads.
		 * @param threadFactories makes the threads of a pool, by its name
		 * @return this builder
		 */
		public Builder threadFactories(Function<String, ThreadFactory> threadFactories) {
			this.threadFactories = threadFactories;
			return this;
		}

		/**
		 * Build the engine.
		 * @return the engine
		 * @throws DuplicateHandlerException if a job name is handled twice
		 * @throws IllegalArgumentException if the parts do not fit together
		 */
		public JobEngine build() {
			return new JobEngine(this);
		}

		private Collection<PoolOptions> pools() {
			Map<String, PoolOptions> pools = new LinkedHashMap<>(this.pools);
			pools.putIfAbsent(PoolOptions.DEFAULT_NAME, PoolOptions.ofDefault(20));
			return pools.values();
		}

		private void requireServed(HandlerRegistry registry) {
			Map<String, String> poolOf = new HashMap<>();
			for (PoolOptions pool : this.pools.values()) {
				for (String handler : pool.handlers()) {
					if (!registry.names().contains(handler)) {
						throw new IllegalArgumentException("Pool '" + pool.name() + "' names the handler '" + handler
								+ "', which does not exist; there are " + registry.names());
					}
					String other = poolOf.putIfAbsent(handler, pool.name());
					if (other != null) {
						throw new IllegalArgumentException("The handler '" + handler + "' is named by two pools, '"
								+ other + "' and '" + pool.name() + "'");
					}
				}
			}
		}

		private void requireTransactions() {
			boolean joins = this.store.as(TransactionalJobStore.class) != null;
			for (HandlerDefinition handler : this.handlers) {
				if (handler.options().transactional() && (this.handlerTransactions == null || !joins)) {
					throw new IllegalArgumentException("The " + handler.origin() + " is transactional, but " + (joins
							? "the engine has no transactions for handlers" : "the store cannot join a transaction"));
				}
			}
		}

		private static ThreadFactory platformThreads(String pool) {
			AtomicInteger count = new AtomicInteger();
			return (work) -> {
				Thread thread = new Thread(work, "jobs-" + pool + "-" + count.incrementAndGet());
				thread.setDaemon(true);
				return thread;
			};
		}

	}

}
