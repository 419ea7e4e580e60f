package dev.jobs.engine;

import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Function;

import dev.jobs.EnqueueInterceptor;
import dev.jobs.EnqueueOptions;
import dev.jobs.Handler;
import dev.jobs.HandlerOptions;
import dev.jobs.JobCalendar;
import dev.jobs.JobListener;
import dev.jobs.RunInterceptor;
import dev.jobs.cron.RecurringJob;
import dev.jobs.engine.context.EnqueueEvents;
import dev.jobs.engine.context.EventBus;
import dev.jobs.engine.context.StoreClock;
import dev.jobs.engine.context.Tallies;
import dev.jobs.engine.context.TestPoints;
import dev.jobs.engine.context.TimeKeeper;
import dev.jobs.engine.enqueue.CallersStore;
import dev.jobs.engine.enqueue.EnqueueChain;
import dev.jobs.engine.enqueue.EnqueuePipe;
import dev.jobs.engine.enqueue.EnqueueWriter;
import dev.jobs.engine.enqueue.NewJobs;
import dev.jobs.engine.enqueue.TickWriter;
import dev.jobs.engine.outbox.OutboxRelay;
import dev.jobs.engine.run.HandlerTransactions;
import dev.jobs.engine.run.StepTransactions;
import dev.jobs.engine.schedule.ScheduleFaults;
import dev.jobs.engine.settings.EngineSettings;
import dev.jobs.engine.settings.EnqueueGate;
import dev.jobs.engine.settings.EnqueueRules;
import dev.jobs.engine.settings.HandlerDefinition;
import dev.jobs.engine.settings.HandlerRegistry;
import dev.jobs.engine.settings.Pool;
import dev.jobs.engine.settings.PoolOptions;
import dev.jobs.serialization.JacksonPayloadSerializer;
import dev.jobs.serialization.PayloadException;
import dev.jobs.serialization.PayloadSerializer;
import dev.jobs.store.JobStore;
import dev.jobs.store.Outbox;
import dev.jobs.store.OutboxTarget;
import dev.jobs.store.StepMarks;
import dev.jobs.store.TransactionalJobStore;
import dev.jobs.store.support.Refusals;
import org.jspecify.annotations.Nullable;

/**
 * Builds an engine.
 */
public final class JobEngineBuilder {

	private final JobStore store;

	private StoreClock clock = new StoreClock(StoreClock.SYSTEM, true);

	private PayloadSerializer serializer = new JacksonPayloadSerializer();

	private EngineSettings settings = EngineSettings.defaults();

	private final Map<String, PoolOptions> pools = new LinkedHashMap<>();

	private final List<HandlerDefinition> handlers = new ArrayList<>();

	private final Map<String, EnqueueOptions> rules = new HashMap<>();

	private final List<RecurringJob> recurringJobs = new ArrayList<>();

	private final Map<String, JobCalendar> calendars = new HashMap<>();

	private final List<RunInterceptor> runInterceptors = new ArrayList<>();

	private final List<EnqueueInterceptor> enqueueInterceptors = new ArrayList<>();

	private EnqueueGate enqueueGate = EnqueueGate.NO_TRANSACTION;

	private @Nullable Outbox outbox;

	private Duration outboxPoll = Duration.ZERO;

	private Duration rememberFor = Duration.ZERO;

	private @Nullable HandlerTransactions handlerTransactions;

	private @Nullable StepMarks stepMarks;

	private final List<JobListener> listeners = new ArrayList<>();

	private Function<String, ThreadFactory> threadFactories = JobEngineBuilder::platformThreads;

	/**
	 * Begin to build an engine.
	 */
	public JobEngineBuilder(JobStore store) {
		this.store = store;
	}

	/**
	 * Use another clock than the system's.
	 */
	public JobEngineBuilder clock(InstantSource clock) {
		return clock(clock, clock.getClass().getName());
	}

	/**
	 * Use another clock than the system's.
	 * @param clock the clock
	 * @param name what the log calls it
	 */
	public JobEngineBuilder clock(InstantSource clock, String name) {
		this.clock = StoreClock.of(clock, name);
		return this;
	}

	/**
	 * Replace the clock of the machine, which may be wrong and may jump.
	 */
	JobEngineBuilder machineClock(InstantSource clock) {
		this.clock = new StoreClock(clock, true);
		return this;
	}

	/**
	 * Use another serializer than the default one.
	 */
	public JobEngineBuilder serializer(PayloadSerializer serializer) {
		this.serializer = serializer;
		return this;
	}

	/**
	 * Use other settings than the defaults.
	 */
	public JobEngineBuilder settings(EngineSettings settings) {
		this.settings = settings;
		return this;
	}

	/**
	 * Set the concurrency of the default pool, which is 20 unless it is set.
	 * @param concurrency how many jobs it runs at once
	 */
	public JobEngineBuilder concurrency(int concurrency) {
		return pool(PoolOptions.ofDefault(concurrency));
	}

	/**
	 * Add a pool, or replace the one of that name.
	 */
	public JobEngineBuilder pool(PoolOptions pool) {
		this.pools.put(pool.name(), pool);
		return this;
	}

	/**
	 * Add a handler with default options.
	 * @param <T> the payload type
	 * @param name the logical name of its jobs
	 * @param payloadType what to decode payloads to; {@code Void} for none. An enqueue
	 * without a payload is refused for any other type but {@code Object} and
	 * {@link dev.jobs.JobArgs}
	 * @param handler runs the jobs
	 */
	public <T extends @Nullable Object> JobEngineBuilder handler(String name, Class<T> payloadType,
			Handler<T> handler) {
		return handler(HandlerDefinition.of(name, payloadType, handler));
	}

	/**
	 * Add a handler.
	 * @param <T> the payload type
	 * @param name the logical name of its jobs
	 * @param payloadType what to decode payloads to; {@code Void} for none. An enqueue
	 * without a payload is refused for any other type but {@code Object} and
	 * {@link dev.jobs.JobArgs}
	 * @param handler runs the jobs
	 * @param options sets how they are run
	 */
	public <T extends @Nullable Object> JobEngineBuilder handler(String name, Class<T> payloadType, Handler<T> handler,
			Consumer<? super HandlerOptions.Builder> options) {
		return handler(HandlerDefinition.of(name, payloadType, handler).with(HandlerOptions.of(options)));
	}

	/**
	 * Add a handler.
	 */
	public JobEngineBuilder handler(HandlerDefinition handler) {
		this.handlers.add(handler);
		return this;
	}

	/**
	 * Set options for every enqueue of a name. Options of the enqueue itself outweigh
	 * them, and they outweigh those of the payload's type and of the handler.
	 */
	public JobEngineBuilder rule(String name, EnqueueOptions rule) {
		this.rules.put(HandlerDefinition.requireValidName(name), rule);
		return this;
	}

	/**
	 * Add a schedule. The engine is not built if its handler is here and does not take
	 * the payload.
	 * @param recurringJob the schedule and its job
	 */
	public JobEngineBuilder recurringJob(RecurringJob recurringJob) {
		HandlerDefinition.requireValidName(recurringJob.name());
		HandlerDefinition.requireValidName(recurringJob.jobName());
		if (this.recurringJobs.stream().anyMatch((other) -> other.name().equals(recurringJob.name()))) {
			throw new IllegalArgumentException("The schedule '" + recurringJob.name() + "' is defined twice");
		}
		this.recurringJobs.add(recurringJob);
		return this;
	}

	/**
	 * Add calendars for schedules that are put at run time.
	 * @param calendars the calendars by name
	 */
	public JobEngineBuilder calendars(Map<String, JobCalendar> calendars) {
		this.calendars.putAll(calendars);
		return this;
	}

	/**
	 * Add interceptors around runs, the outermost first.
	 */
	public JobEngineBuilder runInterceptors(List<RunInterceptor> interceptors) {
		this.runInterceptors.addAll(interceptors);
		return this;
	}

	/**
	 * Add interceptors around enqueues, the outermost first.
	 */
	public JobEngineBuilder enqueueInterceptors(List<EnqueueInterceptor> interceptors) {
		this.enqueueInterceptors.addAll(interceptors);
		return this;
	}

	/**
	 * Hold enqueues back while a transaction is in progress.
	 * @param enqueueGate decides which and how long
	 */
	public JobEngineBuilder enqueueGate(EnqueueGate enqueueGate) {
		this.enqueueGate = enqueueGate;
		return this;
	}

	/**
	 * Write enqueues within transactions to an outbox, from where the
	 * {@linkplain JobEngine#startRelay() relay} carries them to the store. The gate
	 * decides when there is a transaction.
	 * @param outbox the outbox
	 * @param poll how long to rest between two polls unless woken
	 * @param rememberFor how long the store remembers jobs from the outbox
	 */
	public JobEngineBuilder outbox(Outbox outbox, Duration poll, Duration rememberFor) {
		this.outbox = outbox;
		this.outboxPoll = poll;
		this.rememberFor = rememberFor;
		return this;
	}

	private @Nullable OutboxRelay outbox(EnqueueEvents events, Refusals refusals, TimeKeeper time) {
		if (this.outbox == null) {
			return null;
		}
		OutboxTarget target = this.store.as(OutboxTarget.class)
			.orElseThrow(() -> new IllegalArgumentException("There is an outbox, but the store cannot remember jobs"));
		return new OutboxRelay(this.outbox, this.store, target, this.enqueueGate, events, refusals, this.clock, time,
				this.outboxPoll, this.rememberFor);
	}

	/**
	 * Set the transactions of those handlers whose options ask for them.
	 * @param handlerTransactions the transactions; for a transactional handler the store
	 * must be able to join them
	 */
	public JobEngineBuilder handlerTransactions(HandlerTransactions handlerTransactions) {
		this.handlerTransactions = handlerTransactions;
		return this;
	}

	/**
	 * Set the table of marks for transactional steps, if the store does not share the
	 * database of the application.
	 */
	public JobEngineBuilder stepMarks(StepMarks stepMarks) {
		this.stepMarks = stepMarks;
		return this;
	}

	/**
	 * Add listeners.
	 */
	public JobEngineBuilder listeners(List<JobListener> listeners) {
		this.listeners.addAll(listeners);
		return this;
	}

	/**
	 * Use other threads for running jobs than platform threads.
	 * @param threadFactories makes the threads of a pool, by its name
	 */
	public JobEngineBuilder threadFactories(Function<String, ThreadFactory> threadFactories) {
		this.threadFactories = threadFactories;
		return this;
	}

	/**
	 * Build the engine.
	 * @throws dev.jobs.engine.settings.DuplicateHandlerException if a job name is handled
	 * twice
	 * @throws IllegalArgumentException if the parts do not fit together
	 */
	public JobEngine build() {
		EventBus events = new EventBus(this.listeners);
		Tallies tallies = new Tallies();
		EnqueueRules rules = new EnqueueRules(this.rules);
		HandlerRegistry registry = new HandlerRegistry(this.handlers, this.serializer, rules);
		requireServed(registry);
		requireTransactions();
		NewJobs newJobs = new NewJobs(registry, this.serializer, rules, this.settings.maxPayloadBytes(), this.clock);
		this.recurringJobs.forEach((recurring) -> requireTaken(newJobs, recurring));
		EnqueueEvents enqueueEvents = new EnqueueEvents(events, tallies);
		Refusals refusals = new Refusals(this.clock::nanos);
		TimeKeeper time = new TimeKeeper(this.clock);
		OutboxRelay outbox = outbox(enqueueEvents, refusals, time);
		CallersStore callersStore = new CallersStore(this.store, this.enqueueGate, this.clock, time);
		EnqueueChain chain = new EnqueueChain(this.enqueueInterceptors);
		EnqueueWriter writer = new EnqueueWriter(this.store, enqueueEvents, this.clock);
		EnqueuePipe pipe = new EnqueuePipe(callersStore, newJobs, chain, this.enqueueGate, writer, enqueueEvents,
				this.clock, outbox);
		TickWriter tickWriter = new TickWriter(this.store, newJobs, chain, writer, enqueueEvents);
		return new JobEngine(new EngineParts(this.store, newJobs, registry, this.settings, this.clock, events, tallies,
				refusals, new TestPoints(), callersStore, pipe, tickWriter, outbox, pools(registry),
				List.copyOf(this.runInterceptors), List.copyOf(this.recurringJobs), Map.copyOf(this.calendars),
				new ScheduleFaults(), new StepTransactions(this.store, this.handlerTransactions, this.stepMarks),
				this.threadFactories));
	}

	/**
	 * Return the pools with the queues they serve. A pool serves the handlers that it
	 * names; the default pool serves the rest.
	 */
	private List<Pool> pools(HandlerRegistry registry) {
		Map<String, PoolOptions> pools = new LinkedHashMap<>(this.pools);
		pools.putIfAbsent(PoolOptions.DEFAULT_NAME, PoolOptions.ofDefault(20));
		Set<String> rest = new LinkedHashSet<>(registry.queues());
		pools.values().forEach((pool) -> rest.removeAll(registry.queuesOf(pool.handlers())));
		return pools.values()
			.stream()
			.map((pool) -> new Pool(pool,
					pool.name().equals(PoolOptions.DEFAULT_NAME) ? rest : registry.queuesOf(pool.handlers())))
			.toList();
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
					throw new IllegalArgumentException("The handler '" + handler + "' is named by two pools, '" + other
							+ "' and '" + pool.name() + "'");
				}
			}
		}
	}

	private void requireTransactions() {
		boolean joins = this.store.as(TransactionalJobStore.class).isPresent();
		for (HandlerDefinition handler : this.handlers) {
			if (handler.options().isTransactional() && (this.handlerTransactions == null || !joins)) {
				throw new IllegalArgumentException("The " + handler.origin() + " is transactional, but " + (joins
						? "the engine has no transactions for handlers" : "the store cannot join a transaction"));
			}
		}
	}

	private static void requireTaken(NewJobs newJobs, RecurringJob recurring) {
		try {
			newJobs.payload(recurring.jobName(), recurring.payload());
		}
		catch (IllegalArgumentException | PayloadException ex) {
			throw new IllegalArgumentException(
					"The schedule '" + recurring.name() + "' cannot enqueue its job. " + ex.getMessage(), ex);
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
