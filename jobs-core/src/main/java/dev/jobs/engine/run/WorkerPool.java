package dev.jobs.engine.run;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;

import dev.jobs.engine.loop.PollLoop;
import dev.jobs.engine.run.Run.Stop;
import dev.jobs.engine.run.RunningJobs.Slot;
import dev.jobs.engine.settings.PoolOptions;
import dev.jobs.store.Claim;
import dev.jobs.text.ErrorText;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The threads that run jobs. A thread takes a job out of the {@link Line}, has it run and
 * settled, and takes the next.
 */
public final class WorkerPool {

	private static final Logger logger = LoggerFactory.getLogger(WorkerPool.class);

	private final PoolOptions options;

	private final Line line;

	private final JobRunner runner;

	private final List<Slot> slots = new ArrayList<>();

	private final List<Thread> threads = new ArrayList<>();

	private final AtomicInteger busy = new AtomicInteger();

	private final LongAdder finished = new LongAdder();

	private final LongAdder interrupted = new LongAdder();

	private @Nullable PollLoop claimLoop;

	private volatile int wakeAt = -1;

	public WorkerPool(PoolOptions options, Line line, JobRunner runner, RunningJobs running) {
		this.options = options;
		this.line = line;
		this.runner = runner;
		running.add(line);
		for (int i = 0; i < options.concurrency(); i++) {
			this.slots.add(running.newSlot());
		}
	}

	public void start(ThreadFactory threadFactory) {
		for (Slot slot : this.slots) {
			Thread thread = threadFactory.newThread(() -> work(slot));
			this.threads.add(thread);
			thread.start();
		}
	}

	public PoolOptions options() {
		return this.options;
	}

	/**
	 * Return the jobs that wait for a thread.
	 */
	public Line line() {
		return this.line;
	}

	public int busy() {
		return this.busy.get();
	}

	/**
	 * Return how many runs have ended by themselves, timed out or were cancelled.
	 * @return the number since the start
	 */
	public long finished() {
		return this.finished.sum();
	}

	/**
	 * Return how many runs were asked to stop because the worker stops.
	 */
	public long interrupted() {
		return this.interrupted.sum();
	}

	/**
	 * Set the loop to be woken when the pool can take more.
	 */
	public void claimLoop(PollLoop claimLoop) {
		this.claimLoop = claimLoop;
	}

	/**
	 * Set the length of the line at which the pool can take more.
	 * @param waiting the length; -1 for never
	 */
	public void wakeAt(int waiting) {
		this.wakeAt = waiting;
	}

	private void work(Slot slot) {
		while (true) {
			try {
				Claim claim = this.line.take();
				if (claim == null) {
					return;
				}
				run(claim, slot);
			}
			catch (InterruptedException ex) {
				logger.debug("Interruption of an idle worker thread ignored");
			}
			catch (Throwable ex) {
				logger.error("Worker thread continues after an unexpected fault", ErrorText.loggable(ex));
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
			this.line.release(claim);
			if (this.line.size() <= this.wakeAt && this.claimLoop != null) {
				this.claimLoop.wake();
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
	public int runWaiting() {
		int runs = 0;
		for (Claim claim = this.line.poll(); claim != null; claim = this.line.poll()) {
			run(claim, this.slots.get(0));
			runs++;
		}
		return runs;
	}

	/**
	 * Start nothing any more and give back what waits. Once this returns, no further job
	 * starts.
	 */
	public void close() {
		this.line.close();
		this.runner.refuse();
		this.line.giveBack((claim) -> true);
		this.line.end(this.threads.size());
	}

	public List<Thread> threads() {
		return this.threads;
	}

}
