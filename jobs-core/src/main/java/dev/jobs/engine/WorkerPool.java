package dev.jobs.engine;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import java.util.function.Predicate;

import dev.jobs.Job;
import dev.jobs.JobState;
import dev.jobs.Trail;
import dev.jobs.engine.Run.Stop;
import dev.jobs.store.Claim;
import dev.jobs.store.ErrorText;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.MDC;

/**
 * The threads that run jobs. Claimed jobs wait in line here for a moment, in the order of
 * their claim, until a thread is free; a thread takes one, has it run and settled, and
 * takes the next.
 */
final class WorkerPool {

	private static final Logger logger = LoggerFactory.getLogger(WorkerPool.class);

	private static final Duration SUSPECT_PUT_OFF = Duration.ofSeconds(1);

	private static final Claim END = new Claim(
			new Job("", "", new byte[0], Map.of(), JobState.RUNNING, Instant.EPOCH, Instant.EPOCH, Trail.EMPTY, null),
			0);

	private final PoolOptions options;

	private final JobRunner runner;

	private final Settler settler;

	private final SuspectGate suspects;

	private final LinkedBlockingQueue<Claim> line = new LinkedBlockingQueue<>();

	private final List<Slot> slots = new ArrayList<>();

	private final List<Thread> threads = new ArrayList<>();

	private final AtomicInteger busy = new AtomicInteger();

	private final LongAdder finished = new LongAdder();

	private final LongAdder interrupted = new LongAdder();

	private final LocalLimits localLimits;

	private volatile boolean closed;

	private Runnable onRoom = () -> {
	};

	private volatile int wakeAt = -1;

	WorkerPool(PoolOptions options, JobRunner runner, Settler settler, SuspectGate suspects, LocalLimits localLimits) {
		this.options = options;
		this.runner = runner;
		this.settler = settler;
		this.suspects = suspects;
		this.localLimits = localLimits;
		for (int i = 0; i < options.concurrency(); i++) {
			this.slots.add(new Slot());
		}
	}

	void start(ThreadFactory threadFactory) {
		for (Slot slot : this.slots) {
			Thread thread = threadFactory.newThread(() -> work(slot));
			this.threads.add(thread);
			thread.start();
		}
	}

	PoolOptions options() {
		return this.options;
	}

	int busy() {
		return this.busy.get();
	}

	int waiting() {
		return this.line.size();
	}

	/**
	 * Return how many runs have ended by themselves, timed out or were cancelled.
	 * @return the number since the start
	 */
	long finished() {
		return this.finished.sum();
	}

	/**
	 * Return how many runs were told to end because the worker stops.
	 * @return the number
	 */
	long interrupted() {
		return this.interrupted.sum();
	}

	/**
	 * Say what to do when the pool can take more.
	 * @param onRoom what to do
	 */
	void onRoom(Runnable onRoom) {
		this.onRoom = onRoom;
	}

	/**
	 * Say when the pool can take more.
	 * @param waiting the length of the line at which it can; -1 for never
	 */
	void wakeAt(int waiting) {
		this.wakeAt = waiting;
	}

	// --- in

	/**
	 * Take claimed jobs in.
	 * @param claims the jobs
	 */
	void offer(List<Claim> claims) {
		for (Claim claim : claims) {
			this.localLimits.acquire(claim.job().name());
			if (!claim.job().trail().suspect()) {
				accept(claim);
				continue;
			}
			switch (this.suspects.enter(claim, this)) {
				case NOW -> accept(claim);
				case NOT_HERE -> {
					this.localLimits.release(claim.job().name());
					this.settler.putOff(claim, SUSPECT_PUT_OFF);
				}
				case LATER -> {
				}
			}
		}
	}

	void accept(Claim claim) {
		synchronized (this.line) {
			if (!this.closed) {
				this.line.add(claim);
				return;
			}
		}
		giveBack(claim);
	}

	// --- run

	private void work(Slot slot) {
		while (true) {
			try {
				Claim claim = this.line.take();
				if (claim == END) {
					return;
				}
				run(claim, slot);
				MDC.clear();
			}
			catch (InterruptedException ex) {
				logger.debug("Interruption of an idle worker thread ignored");
			}
			catch (Throwable ex) {
				logger.error("Worker thread goes on after an unexpected fault", ErrorText.loggable(ex));
			}
		}
	}

	private void run(Claim claim, Slot slot) {
		this.busy.incrementAndGet();
		try {
			count(this.runner.run(claim, slot));
		}
		finally {
			this.busy.decrementAndGet();
			this.localLimits.release(claim.job().name());
			if (claim.job().trail().suspect()) {
				this.suspects.leave();
			}
			if (this.line.size() <= this.wakeAt) {
				this.onRoom.run();
			}
		}
	}

	private void count(@Nullable Run run) {
		if (run != null && run.stopped() == Stop.STOPPING) {
			this.interrupted.increment();
		}
		else if (run != null && !run.leaseLost()) {
			this.finished.increment();
		}
	}

	/**
	 * Run what waits in line on the calling thread.
	 * @return how many were run
	 */
	int runWaiting() {
		int runs = 0;
		for (Claim claim = this.line.poll(); claim != null; claim = this.line.poll()) {
			run(claim, this.slots.get(0));
			runs++;
		}
		return runs;
	}

	void eachRun(Consumer<Run> consumer) {
		for (Slot slot : this.slots) {
			Run run = slot.run();
			if (run != null) {
				consumer.accept(run);
			}
		}
	}

	@Nullable Run findRun(String id, String token) {
		for (Slot slot : this.slots) {
			Run run = slot.run();
			if (run != null && run.id().equals(id) && Long.toString(run.fencingToken()).equals(token)) {
				return run;
			}
		}
		return null;
	}

	// --- out

	/**
	 * Give claimed jobs back that were not taken in.
	 * @param claims the jobs
	 */
	void giveBack(List<Claim> claims) {
		claims.forEach(this.settler::giveBack);
	}

	/**
	 * Give jobs back that wait in line.
	 * @param which selects them
	 */
	void giveBackWaiting(Predicate<Claim> which) {
		takeOut(which).forEach(this.settler::giveBack);
	}

	/**
	 * Give back all jobs in line but the first ones.
	 * @param kept how many stay
	 */
	void giveBackWaitingBehind(int kept) {
		Set<Claim> surplus = Collections.newSetFromMap(new IdentityHashMap<>());
		this.line.stream().skip(kept).forEach(surplus::add);
		giveBackWaiting(surplus::contains);
	}

	private void giveBack(Claim claim) {
		forget(claim);
		this.settler.giveBack(claim);
	}

	/**
	 * End jobs that wait in line since a person wants them to end.
	 * @param ids their ids
	 */
	void cancelWaiting(Set<String> ids) {
		takeOut((claim) -> ids.contains(claim.job().id()))
			.forEach((claim) -> this.settler.settle(claim, new Outcome.Cancelled()));
	}

	/**
	 * Forget jobs that wait in line and that this worker has lost.
	 * @param tokens the tokens it lost
	 */
	void dropWaiting(Set<Long> tokens) {
		takeOut((claim) -> tokens.contains(claim.token()));
	}

	/**
	 * Take jobs out that wait for their turn as suspects or in line. Threads take theirs
	 * meanwhile, so a job is out of the line only if it was this call that removed it:
	 * {@code removeIf} also hands those to its predicate that a thread takes at the same
	 * moment.
	 */
	private List<Claim> takeOut(Predicate<Claim> which) {
		List<Claim> out = new ArrayList<>(this.suspects.withdraw(this, which));
		out.forEach((claim) -> this.localLimits.release(claim.job().name()));
		for (Claim claim : this.line) {
			if (claim != END && which.test(claim) && this.line.remove(claim)) {
				forget(claim);
				out.add(claim);
			}
		}
		return out;
	}

	private void forget(Claim claim) {
		this.localLimits.release(claim.job().name());
		if (claim.job().trail().suspect()) {
			this.suspects.leave();
		}
	}

	/**
	 * Start nothing any more and give back what waits. Once this returns, no further job
	 * starts.
	 */
	void close() {
		synchronized (this.line) {
			this.closed = true;
		}
		for (Claim claim = this.suspects.withdraw(); claim != null; claim = this.suspects.withdraw()) {
			this.localLimits.release(claim.job().name());
			this.settler.giveBack(claim);
		}
		this.runner.refuse();
		giveBackWaiting((claim) -> true);
		this.threads.forEach((thread) -> this.line.add(END));
	}

	void stopRuns(Stop reason) {
		eachRun((run) -> run.stop(reason));
	}

	List<Thread> threads() {
		return this.threads;
	}

}
