package dev.jobs.engine;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import java.util.function.ToLongFunction;
import java.util.random.RandomGenerator;

import dev.jobs.RunInterceptor;
import dev.jobs.cron.RecurringJob;
import dev.jobs.engine.JobEngine.StopReport;
import dev.jobs.engine.Run.Stop;
import dev.jobs.store.ErrorText;
import dev.jobs.store.JobStore.Subscription;
import dev.jobs.store.StoreListener;
import dev.jobs.store.WorkerInfo;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The parts of one start of the engine and the loops that drive them. A part is a task
 * that can as well be done by hand, one poll after the other, which is what
 * {@link #runUntilIdle()} does.
 */
final class Worker {

	private static final Logger logger = LoggerFactory.getLogger(Worker.class);

	private static final Duration AFTER_INTERRUPTION = Duration.ofSeconds(2);

	private static final Duration FOR_SETTLING = Duration.ofSeconds(2);

	/**
	 * How long all that comes after the grace may take, whether the store answers or not.
	 */
	private static final Duration AFTER_GRACE = Duration.ofMillis(4500);

	private final Shared shared;

	private final Instant startedAt;

	private final SuspectGate suspects;

	private final List<WorkerPool> pools = new ArrayList<>();

	private final List<Claimer> claimers = new ArrayList<>();

	private final EndingWriter endings;

	private final Settler settler;

	private final Heartbeat heartbeat;

	private final Watchdog watchdog;

	private final RunLogs logs = new RunLogs(() -> this.pools);

	private final Rescuer rescuer;

	private final Pruner pruner;

	private final CronTicker cronTicker;

	private final PollLoop settleLoop;

	private final PollLoop beatLoop;

	private final List<PollLoop> workLoops = new ArrayList<>();

	private final List<PollLoop> watchLoops = new ArrayList<>();

	private @Nullable Subscription subscription;

	Worker(Shared shared, Collection<PoolOptions> pools, List<RunInterceptor> interceptors,
			List<RecurringJob> recurringJobs, ClientParts client, RandomGenerator random,
			@Nullable HandlerTransactions transactions) {
		this.shared = shared;
		this.startedAt = shared.clock().now();
		this.suspects = new SuspectGate(shared.clock(), shared.settings().lease());
		QueueSampler sampler = new QueueSampler(random);
		this.endings = new EndingWriter(shared);
		this.settler = new Settler(shared, this.endings, random);
		this.heartbeat = new Heartbeat(shared, this::info, () -> this.pools, this.settler);
		this.watchdog = new Watchdog(shared, () -> this.pools);
		this.rescuer = new Rescuer(shared, this.heartbeat, this.settler, sampler);
		this.pruner = new Pruner(shared, sampler);
		this.cronTicker = new CronTicker(shared, recurringJobs, this.heartbeat, client.client(), client.newJobs());
		this.settleLoop = loop("settle", this.endings);
		this.beatLoop = loop("beat", this.heartbeat);
		LocalLimits localLimits = new LocalLimits(shared.registry());
		JobRunner runner = new JobRunner(shared, interceptors, this.settler, this.heartbeat, this.watchdog, this.logs,
				transactions);
		for (PoolOptions options : pools) {
			WorkerPool pool = new WorkerPool(options, runner, this.settler, this.suspects, localLimits);
			Claimer claimer = new Claimer(shared, pool, queuesOf(options, pools), this.heartbeat, this.endings,
					localLimits, sampler);
			this.pools.add(pool);
			this.claimers.add(claimer);
			connect(claimer, loop("claim-" + options.name(), claimer));
		}
		if (shared.settings().rescue()) {
			this.workLoops.add(loop("rescue", this.rescuer));
		}
		this.workLoops.add(loop("prune", this.pruner));
		PollLoop unserved = loop("unserved", new Unserved(shared, sampler));
		this.workLoops.add(unserved);
		client.client().onUnhandled(unserved::wake);
		if (!recurringJobs.isEmpty()) {
			this.workLoops.add(loop("cron", this.cronTicker));
		}
		PollLoop watchLoop = loop("watch", this.watchdog);
		this.watchLoops.add(watchLoop);
		this.watchdog.onEarlier(watchLoop::wake);
		this.endings.onPending(this.settleLoop::wake);
		this.heartbeat.onWanted(this.beatLoop::wake);
		this.heartbeat.onRenewed(this::lookAgain);
	}

	private void connect(Claimer claimer, PollLoop loop) {
		claimer.onSignal(loop::wake);
		this.workLoops.add(loop);
	}

	private PollLoop loop(String name, PollLoop.Task task) {
		return new PollLoop(name, task, this.shared.clock());
	}

	/**
	 * Return the queues that a pool serves: those of the handlers it names, or for the
	 * default pool all that no other pool names.
	 */
	private Set<String> queuesOf(PoolOptions pool, Collection<PoolOptions> pools) {
		if (!pool.name().equals(PoolOptions.DEFAULT_NAME)) {
			return this.shared.registry().queuesOf(pool.handlers());
		}
		Set<String> queues = new LinkedHashSet<>(this.shared.registry().queues());
		pools.forEach((other) -> queues.removeAll(this.shared.registry().queuesOf(other.handlers())));
		return queues;
	}

	private WorkerInfo info() {
		return new WorkerInfo(HostName.get(), ProcessHandle.current().pid(), this.shared.settings().version(),
				this.startedAt, poolsNow(), this.shared.registry().limits());
	}

	List<WorkerInfo.Pool> poolsNow() {
		List<WorkerInfo.Pool> pools = new ArrayList<>();
		for (int i = 0; i < this.pools.size(); i++) {
			PoolOptions options = this.pools.get(i).options();
			pools.add(new WorkerInfo.Pool(options.name(), options.concurrency(), this.pools.get(i).busy(),
					List.copyOf(new TreeSet<>(this.claimers.get(i).queues()))));
		}
		return pools;
	}

	// --- with threads

	/**
	 * Start all loops. The worker registers itself before it claims anything; with the
	 * store down it goes on trying. It listens before it looks, so that no signal falls
	 * between the two.
	 */
	void start(Function<String, ThreadFactory> threadFactories) {
		this.pools.forEach((pool) -> pool.start(threadFactories.apply(pool.options().name())));
		this.subscription = this.shared.store().listen(new Signals());
		this.settleLoop.start();
		this.beatLoop.start();
		this.watchLoops.forEach(PollLoop::start);
		this.workLoops.forEach(PollLoop::start);
	}

	/**
	 * Renew the lease, and only then look at everything again: by a clock that was moved
	 * far, this worker might take itself for vanished.
	 */
	void wake() {
		this.heartbeat.want();
	}

	private void lookAgain() {
		this.watchLoops.forEach(PollLoop::wake);
		this.workLoops.forEach(PollLoop::wake);
		this.claimers.forEach(Claimer::lookEverywhere);
	}

	/**
	 * Stop in the order that loses and doubles nothing: claim no more, give back what has
	 * not started, keep the lease while the rest ends, interrupt what does not, release
	 * it, and only then leave.
	 */
	StopReport stop(Duration grace) {
		long before = count(WorkerPool::finished);
		if (this.subscription != null) {
			this.subscription.close();
		}
		this.workLoops.forEach(PollLoop::stop);
		this.pools.forEach(WorkerPool::close);
		joinPools(grace);
		long end = this.shared.clock().nanosAfter(AFTER_GRACE);
		if (busy() > 0) {
			this.pools.forEach((pool) -> pool.stopRuns(Stop.STOPPING));
			joinPools(AFTER_INTERRUPTION);
		}
		joinLoops(this.workLoops, untilAtMost(end, AFTER_INTERRUPTION));
		int finished = (int) (count(WorkerPool::finished) - before);
		int interrupted = (int) count(WorkerPool::interrupted);
		List<String> stuck = releaseStuck();
		boolean settled = awaitSettled(untilAtMost(end, FOR_SETTLING));
		List<PollLoop> rest = new ArrayList<>(this.watchLoops);
		rest.add(this.settleLoop);
		rest.add(this.beatLoop);
		rest.forEach(PollLoop::stop);
		joinLoops(rest, untilAtMost(end, AFTER_INTERRUPTION));
		leave(untilAtMost(end, AFTER_GRACE));
		return new StopReport(finished, interrupted, stuck, settled);
	}

	private long count(ToLongFunction<WorkerPool> of) {
		return this.pools.stream().mapToLong(of).sum();
	}

	private Duration untilAtMost(long end, Duration most) {
		long left = Math.max(end - this.shared.clock().nanos(), 0);
		return (left < most.toNanos()) ? Duration.ofNanos(left) : most;
	}

	private void joinPools(Duration timeout) {
		join(this.pools.stream().flatMap((pool) -> pool.threads().stream()).toList(), timeout);
	}

	private void joinLoops(List<PollLoop> loops, Duration timeout) {
		join(loops.stream().map(PollLoop::thread).filter(Objects::nonNull).toList(), timeout);
	}

	private void join(List<@Nullable Thread> threads, Duration timeout) {
		long end = this.shared.clock().nanosAfter(timeout);
		try {
			for (Thread thread : threads) {
				if (thread != null && thread != Thread.currentThread()) {
					thread.join(Math.max(1, Duration.ofNanos(end - this.shared.clock().nanos()).toMillis()));
				}
			}
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	private List<String> releaseStuck() {
		List<String> stuck = new ArrayList<>();
		this.pools.forEach((pool) -> pool.eachRun((run) -> {
			logger.error("Job '{}' {} goes on although the worker stops; it is given back and may run twice",
					run.name(), run.id());
			run.stop(Stop.LEASE_LOST);
			this.settler.settle(run, new Outcome.Interrupted());
			stuck.add(run.id());
		}));
		return stuck;
	}

	private boolean awaitSettled(Duration timeout) {
		long end = this.shared.clock().nanosAfter(timeout);
		while (this.endings.pending() > 0 && this.shared.clock().nanos() < end) {
			this.settleLoop.wake();
			LockSupport.parkNanos(Duration.ofMillis(1).toNanos());
		}
		return this.endings.pending() == 0;
	}

	/**
	 * Take leave of the store, but do not wait for one that is silent. If the leave gets
	 * lost, the lease runs out instead.
	 */
	private void leave(Duration timeout) {
		Thread leaving = new Thread(() -> {
			try {
				this.heartbeat.leave();
			}
			catch (RuntimeException ex) {
				logger.warn("The worker could not sign off from the store; its lease will run out instead: {}",
						ErrorText.of(ex));
				logger.debug("The worker could not sign off from the store", ErrorText.loggable(ex));
			}
		}, "jobs-leave");
		leaving.setDaemon(true);
		leaving.start();
		join(List.of(leaving), timeout);
	}

	/**
	 * Return whether nothing runs or waits to be settled here.
	 */
	boolean isQuiet() {
		return this.endings.pending() == 0
				&& this.pools.stream().allMatch((pool) -> pool.busy() == 0 && pool.waiting() == 0);
	}

	int busy() {
		return this.pools.stream().mapToInt(WorkerPool::busy).sum();
	}

	List<PollLoop.Status> loops() {
		List<PollLoop.Status> loops = new ArrayList<>();
		loops.add(this.settleLoop.status());
		loops.add(this.beatLoop.status());
		this.watchLoops.forEach((loop) -> loops.add(loop.status()));
		this.workLoops.forEach((loop) -> loops.add(loop.status()));
		return loops;
	}

	List<Run> runs() {
		List<Run> runs = new ArrayList<>();
		this.pools.forEach((pool) -> pool.eachRun(runs::add));
		return runs;
	}

	void logged(String id, String token, String line) {
		this.logs.add(id, token, line);
	}

	// --- by hand

	/**
	 * Do on the calling thread all that is due now, until nothing is.
	 * @return how many jobs were run
	 */
	int runUntilIdle() {
		this.claimers.forEach(Claimer::claimNothingAhead);
		this.heartbeat.beatByHand();
		int runs = 0;
		this.heartbeat.want();
		this.heartbeat.poll();
		this.cronTicker.poll();
		this.endings.pollAll();
		while (this.shared.settings().rescue() && this.rescuer.poll().isZero()) {
			this.endings.pollAll();
		}
		int before;
		do {
			before = runs;
			this.endings.pollAll();
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
		while (runs > before || this.endings.pending() > 0);
		while (this.pruner.poll().isZero()) {
			this.endings.pollAll();
		}
		return runs;
	}

	/**
	 * What enqueues.
	 *
	 * @param client the client
	 * @param newJobs makes new jobs
	 */
	record ClientParts(DefaultJobClient client, NewJobs newJobs) {

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
		public void paused(String queue) {
			Worker.this.claimers.forEach((claimer) -> claimer.paused(queue));
		}

		@Override
		public void cancelled(String worker) {
			if (worker.equals(Worker.this.shared.worker())) {
				Worker.this.heartbeat.want();
			}
		}

	}

}
