package dev.jobs.engine;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import dev.jobs.engine.bulk.BulkRunner;
import dev.jobs.engine.claim.Claimer;
import dev.jobs.engine.context.WorkerContext;
import dev.jobs.engine.lease.Heartbeat;
import dev.jobs.engine.lease.Lease;
import dev.jobs.engine.loop.LoopStatus;
import dev.jobs.engine.loop.Outages;
import dev.jobs.engine.loop.PollLoop;
import dev.jobs.engine.result.Waits;
import dev.jobs.engine.run.JobRunner;
import dev.jobs.engine.run.Line;
import dev.jobs.engine.run.LocalLimits;
import dev.jobs.engine.run.Run;
import dev.jobs.engine.run.Run.Stop;
import dev.jobs.engine.run.RunningJobs;
import dev.jobs.engine.run.SuspectGate;
import dev.jobs.engine.run.Watchdog;
import dev.jobs.engine.run.WorkerPool;
import dev.jobs.engine.schedule.CronTicker;
import dev.jobs.engine.schedule.StoredTicker;
import dev.jobs.engine.settings.OperatorSettings;
import dev.jobs.engine.settings.OperatorSettings.Kind;
import dev.jobs.engine.settings.Pool;
import dev.jobs.engine.settle.EndingWriter;
import dev.jobs.engine.settle.Outcome;
import dev.jobs.engine.settle.Settler;
import dev.jobs.engine.upkeep.MarkSweep;
import dev.jobs.engine.upkeep.Pruner;
import dev.jobs.engine.upkeep.Rescuer;
import dev.jobs.engine.upkeep.Unserved;
import dev.jobs.store.BeatReply;
import dev.jobs.store.Change;
import dev.jobs.store.JobStore;
import dev.jobs.store.JobStore.Subscription;
import dev.jobs.store.StepMarks;
import dev.jobs.store.StoreListener;
import dev.jobs.store.view.SettingsView.Value;
import dev.jobs.store.view.WorkerInfo;
import dev.jobs.store.view.WorkerView;
import dev.jobs.text.ErrorText;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One run of the engine: its parts and the loops that drive them. A part is a task that
 * can also be done by hand, poll by poll, as {@link #runUntilIdle()} does.
 */
final class Worker {

	private static final Logger logger = LoggerFactory.getLogger(Worker.class);

	private static final Duration AFTER_INTERRUPTION = Duration.ofSeconds(2);

	private static final Duration FORGOTTEN_AFTER = Duration.ofDays(1);

	private static final Duration FOR_SETTLING = Duration.ofSeconds(2);

	/**
	 * How long everything after the grace period may take, whether the store answers or
	 * not.
	 */
	private static final Duration AFTER_GRACE = Duration.ofMillis(4500);

	private final WorkerContext context;

	private final Instant startedAt;

	private final RunningJobs running = new RunningJobs();

	private final List<WorkerPool> pools = new ArrayList<>();

	private final List<Claimer> claimers = new ArrayList<>();

	private final Waits waits;

	private final EndingWriter endings;

	private final Settler settler;

	private final Heartbeat heartbeat;

	private final Watchdog watchdog;

	private final Rescuer rescuer;

	private final Pruner pruner;

	private final CronTicker cronTicker;

	private final StoredTicker storedTicker;

	private final PollLoop storedTicks;

	private final BulkRunner bulkRunner;

	private final PollLoop bulk;

	private final List<PollLoop> workLoops = new ArrayList<>();

	private @Nullable Subscription subscription;

	/** The revision of the settings that are in force. */
	private long settings;

	Worker(EngineParts parts) {
		WorkerContext context = new WorkerContext(UUID.randomUUID().toString(), parts.store(), parts.registry(),
				parts.settings(), parts.clock(), parts.events(), parts.tallies(), parts.refusals(), parts.testPoints(),
				parts.callersStore().gate()::inTransaction, WorkerContext.RANDOM);
		this.context = context;
		this.startedAt = context.clock().now();
		Lease lease = new Lease(context.clock(), context.settings().lease());
		this.waits = new Waits(context);
		this.endings = new EndingWriter(context, lease, this.waits);
		this.settler = new Settler(context, lease, this.endings);
		this.heartbeat = new Heartbeat(context, lease, this::info, this.running);
		this.watchdog = new Watchdog(context, this.running);
		this.rescuer = new Rescuer(context, lease, this.settler);
		this.pruner = new Pruner(context);
		this.cronTicker = new CronTicker(context, parts.recurringJobs(), lease, parts.tickWriter());
		this.storedTicker = new StoredTicker(context, parts.calendars(), parts.recurringJobs(), parts.scheduleFaults(),
				lease, parts.tickWriter());
		this.storedTicks = loop("schedules", this.storedTicker);
		this.bulkRunner = new BulkRunner(context, lease);
		this.bulk = loop("bulk", this.bulkRunner);
		JobRunner runner = new JobRunner(context, parts.runInterceptors(), this.settler, lease, this.heartbeat,
				this.watchdog, this.running, parts.transactions());
		SuspectGate suspects = new SuspectGate(this.rescuer::othersAreBack);
		LocalLimits localLimits = new LocalLimits(context.registry());
		for (Pool each : parts.pools()) {
			Line line = new Line(this.settler, suspects, localLimits);
			WorkerPool pool = new WorkerPool(each, line, runner, this.running);
			Claimer claimer = new Claimer(context, pool, lease, this.settler, localLimits);
			this.pools.add(pool);
			this.claimers.add(claimer);
			this.workLoops.add(claimer.loop());
		}
		PollLoop rescue = loop("rescue", this.rescuer);
		this.workLoops.add(rescue);
		lease.onStrays(rescue::wake);
		this.workLoops.add(loop("prune", this.pruner));
		StepMarks marks = parts.transactions().marks();
		if (marks != null) {
			this.workLoops.add(loop("steps", new MarkSweep(context, marks)));
		}
		PollLoop unserved = loop("unserved", new Unserved(context));
		this.workLoops.add(unserved);
		parts.pipe().onUnhandled(unserved::wake);
		if (!parts.recurringJobs().isEmpty()) {
			this.workLoops.add(loop("cron", this.cronTicker));
		}
		this.workLoops.add(this.storedTicks);
		this.workLoops.add(this.bulk);
		this.workLoops.add(this.waits.loop());
		this.heartbeat.onRenewed(this::lookAgain);
		apply(OperatorSettings.NONE);
		this.heartbeat.onReply(this::follow);
		Outages outages = new Outages();
		allLoops().forEach((loop) -> loop.share(outages));
	}

	private void ticks(Instant at) {
		if (this.storedTicker.restsUntilAfter(at)) {
			this.storedTicks.wake();
		}
	}

	private PollLoop loop(String name, PollLoop.Task task) {
		return new PollLoop(name, task, this.context.clock());
	}

	private WorkerInfo info() {
		return new WorkerInfo(hostName(), ProcessHandle.current().pid(), this.context.settings().version(),
				this.startedAt, poolsNow(), this.context.registry().limits(), WorkerInfo.Jvm.here());
	}

	private static String hostName() {
		try {
			return InetAddress.getLocalHost().getHostName();
		}
		catch (UnknownHostException ex) {
			return "unknown";
		}
	}

	List<WorkerInfo.Pool> poolsNow() {
		return this.pools.stream().map(WorkerPool::now).toList();
	}

	// --- with threads

	/**
	 * Start all loops. The worker registers itself before it claims anything, and keeps
	 * trying while the store is down. It subscribes to signals before it looks, so that
	 * it misses none.
	 */
	void start(Function<String, ThreadFactory> threadFactories) {
		this.pools.forEach((pool) -> pool.start(threadFactories.apply(pool.settings().name())));
		this.subscription = this.context.store().listen(new Signals());
		this.endings.loop().start();
		this.heartbeat.loop().start();
		this.watchdog.loop().start();
		this.workLoops.forEach(PollLoop::start);
	}

	/**
	 * Renew the lease, and only then look at everything again: after a large clock change
	 * this worker could consider itself vanished.
	 */
	void wake() {
		this.heartbeat.requestBeat();
	}

	/**
	 * Return whether the calling thread runs a job in a pool that runs others of a name.
	 */
	boolean isOnThreadOfPoolFor(String name) {
		return this.running.all()
			.stream()
			.filter(Run::isOnThisThread)
			.anyMatch((run) -> this.pools.stream()
				.map((pool) -> pool.settings().queues())
				.anyMatch((queues) -> queues.contains(run.name()) && queues.contains(name)));
	}

	/**
	 * Claim again with the changed settings of queues.
	 */
	void changed(Set<String> queues) {
		this.claimers.forEach((claimer) -> queues.forEach(claimer::restricted));
		this.claimers.forEach(Claimer::lookEverywhere);
	}

	/**
	 * Apply the changed concurrency of the pools.
	 */
	void resized() {
		this.pools.forEach(WorkerPool::resize);
		this.claimers.forEach(Claimer::lookEverywhere);
	}

	/**
	 * Look at the schedules in time, and apply the operators' settings for workers unless
	 * their revision is the same.
	 */
	private void follow(BeatReply reply) {
		if (reply.firstTick() != null) {
			ticks(reply.firstTick());
		}
		if (reply.settings() != this.settings) {
			OperatorSettings settings = new OperatorSettings(this.context.store().inspector().operatorSettings());
			apply(settings);
			forgetVanished(settings);
			if (this.bulkRunner.learn(settings.all())) {
				this.bulk.wake();
			}
			this.settings = reply.settings();
		}
	}

	private void apply(OperatorSettings settings) {
		boolean quiet = settings.on(Kind.QUIET, this.context.worker()) != null;
		boolean resized = false;
		for (WorkerPool each : this.pools) {
			Pool pool = each.settings();
			Value<Integer> set = settings.number(Kind.CONCURRENCY, pool.name());
			resized |= pool.override((set != null) ? set.value() : null,
					quiet || settings.on(Kind.PAUSED, pool.name()) != null);
		}
		if (resized) {
			resized();
			// The next beat reports it.
			this.heartbeat.requestBeat();
		}
		Set<String> queues = this.context.registry().override(settings);
		if (!queues.isEmpty()) {
			changed(queues);
		}
	}

	/**
	 * Forget quiet workers that have vanished.
	 */
	private void forgetVanished(OperatorSettings settings) {
		Instant now = this.context.clock().now();
		List<String> quiet = settings.quietBefore(now.minus(FORGOTTEN_AFTER));
		if (!quiet.isEmpty()) {
			JobStore store = this.context.store();
			Set<String> live = store.inspector().workers(now).stream().map(WorkerView::id).collect(Collectors.toSet());
			List<Change> changes = quiet.stream().filter((id) -> !live.contains(id)).map(Kind.QUIET::remove).toList();
			if (!changes.isEmpty()) {
				store.change(changes, now);
			}
		}
	}

	private void lookAgain() {
		this.watchdog.loop().wake();
		this.workLoops.forEach(PollLoop::wake);
		this.claimers.forEach(Claimer::lookEverywhere);
	}

	/**
	 * Stop in an order that neither loses nor duplicates jobs: claim no more, give back
	 * what has not started, keep the lease while running jobs end, interrupt those that
	 * do not, give back stuck ones, and only then leave.
	 */
	StopReport stop(Duration grace) {
		long before = count(WorkerPool::finished);
		if (this.subscription != null) {
			this.subscription.close();
		}
		this.workLoops.forEach(PollLoop::stop);
		this.pools.forEach(WorkerPool::close);
		joinPools(grace);
		long end = this.context.clock().nanosAfter(AFTER_GRACE);
		if (busy() > 0) {
			this.running.stop(Stop.STOPPING);
			joinPools(AFTER_INTERRUPTION);
		}
		joinLoops(this.workLoops, untilAtMost(end, AFTER_INTERRUPTION));
		int finished = (int) (count(WorkerPool::finished) - before);
		int interrupted = (int) count(WorkerPool::interrupted);
		List<String> stuck = releaseStuck();
		this.endings.tryAll();
		awaitSettled(untilAtMost(end, FOR_SETTLING));
		List<PollLoop> rest = List.of(this.watchdog.loop(), this.endings.loop(), this.heartbeat.loop());
		rest.forEach(PollLoop::stop);
		joinLoops(rest, untilAtMost(end, AFTER_INTERRUPTION));
		this.endings.logRefused();
		deregister(untilAtMost(end, AFTER_GRACE));
		return new StopReport(finished, interrupted, stuck, this.endings.pending() == 0);
	}

	private long count(ToLongFunction<WorkerPool> of) {
		return this.pools.stream().mapToLong(of).sum();
	}

	private Duration untilAtMost(long end, Duration most) {
		long left = Math.max(end - this.context.clock().nanos(), 0);
		return (left < most.toNanos()) ? Duration.ofNanos(left) : most;
	}

	private void joinPools(Duration timeout) {
		join(this.pools.stream().flatMap((pool) -> pool.threads().stream()).toList(), timeout);
	}

	private void joinLoops(List<PollLoop> loops, Duration timeout) {
		join(loops.stream().map(PollLoop::thread).filter(Objects::nonNull).toList(), timeout);
	}

	private void join(List<@Nullable Thread> threads, Duration timeout) {
		long end = this.context.clock().nanosAfter(timeout);
		try {
			for (Thread thread : threads) {
				if (thread != null && thread != Thread.currentThread()) {
					thread.join(Math.max(1, Duration.ofNanos(end - this.context.clock().nanos()).toMillis()));
				}
			}
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	private List<String> releaseStuck() {
		List<Run> stuck = this.running.all();
		for (Run run : stuck) {
			boolean exits = run.isExiting();
			if (!exits) {
				logger.error("Job '{}' {} keeps running although the worker stops; it is given back and may run twice",
						run.name(), run.id());
			}
			run.stop(Stop.LEASE_LOST);
			this.settler.settle(run.claim(), exits ? new Outcome.Exited() : new Outcome.Interrupted(), run.took(),
					run.logged(), run.hasSaved());
		}
		return stuck.stream().map(Run::id).toList();
	}

	private void awaitSettled(Duration timeout) {
		long end = this.context.clock().nanosAfter(timeout);
		while (!this.endings.isDone() && this.context.clock().nanos() < end) {
			this.endings.loop().wake();
			LockSupport.parkNanos(Duration.ofMillis(1).toNanos());
		}
	}

	/**
	 * Deregister the worker without waiting for a silent store. If the call gets lost,
	 * the lease runs out instead.
	 */
	private void deregister(Duration timeout) {
		Thread thread = new Thread(() -> {
			try {
				this.heartbeat.deregister();
			}
			catch (RuntimeException ex) {
				logger.warn("Could not deregister the worker; its lease will run out instead: {}", ErrorText.of(ex));
				logger.debug("Could not deregister the worker", ErrorText.loggable(ex));
			}
		}, "jobs-deregister");
		thread.setDaemon(true);
		thread.start();
		join(List.of(thread), timeout);
	}

	/**
	 * Return whether no job runs or waits to be settled here.
	 */
	boolean isQuiet() {
		return this.endings.pending() == 0
				&& this.pools.stream().allMatch((pool) -> pool.busy() == 0 && pool.line().size() == 0);
	}

	int busy() {
		return this.pools.stream().mapToInt(WorkerPool::busy).sum();
	}

	List<LoopStatus> loops() {
		return allLoops().map(PollLoop::status).toList();
	}

	private Stream<PollLoop> allLoops() {
		return Stream.concat(Stream.of(this.endings.loop(), this.heartbeat.loop(), this.watchdog.loop()),
				this.workLoops.stream());
	}

	RunningJobs running() {
		return this.running;
	}

	// --- by hand

	/**
	 * Do everything that is due now on the calling thread, until nothing is.
	 * @return how many jobs were run
	 */
	int runUntilIdle() {
		this.claimers.forEach(Claimer::claimNothingAhead);
		this.heartbeat.beatByHand();
		int runs = 0;
		this.heartbeat.requestBeat();
		this.heartbeat.poll();
		this.cronTicker.poll();
		this.storedTicker.poll();
		while (!this.bulkRunner.isIdle()) {
			this.bulkRunner.poll();
			this.heartbeat.poll();
		}
		this.endings.pollAll();
		while (this.rescuer.poll().isZero()) {
			this.endings.pollAll();
		}
		int before;
		do {
			before = runs;
			this.endings.pollAll();
			this.waits.pollAll();
			for (int i = 0; i < this.pools.size(); i++) {
				this.claimers.get(i).lookEverywhere();
				boolean progress = true;
				while (progress) {
					progress = this.claimers.get(i).poll().isZero();
					runs += this.pools.get(i).runWaiting();
					this.endings.pollAll();
					this.heartbeat.poll();
				}
			}
		}
		while (runs > before || this.endings.writable() > 0);
		while (this.pruner.poll().isZero()) {
			this.endings.pollAll();
		}
		return runs;
	}

	/**
	 * Passes the store's signals on.
	 */
	private final class Signals implements StoreListener {

		@Override
		public void ready(String queue, Instant at) {
			Worker.this.claimers.forEach((claimer) -> claimer.ready(queue, at));
		}

		@Override
		public void restricted(String queue) {
			Worker.this.claimers.forEach((claimer) -> claimer.restricted(queue));
		}

		@Override
		public void ticks(Instant at) {
			Worker.this.ticks(at);
		}

		@Override
		public void settingsChanged() {
			Worker.this.heartbeat.requestBeat();
		}

		@Override
		public void cancelled(String worker) {
			if (worker.equals(Worker.this.context.worker())) {
				Worker.this.heartbeat.requestBeat();
			}
		}

	}

}
