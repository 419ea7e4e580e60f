package dev.jobs.engine.run;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;

import dev.jobs.engine.loop.PollLoop;
import dev.jobs.engine.run.Run.Stop;
import dev.jobs.engine.run.RunningJobs.Slot;
import dev.jobs.engine.settings.Pool;
import dev.jobs.store.Claim;
import dev.jobs.store.view.WorkerInfo;
import dev.jobs.text.ErrorText;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The threads that run jobs. A thread takes a job from the {@link Line}, runs and settles
 * it, and takes the next.
 */
public final class WorkerPool {

	private static final Logger logger = LoggerFactory.getLogger(WorkerPool.class);

	private final Pool pool;

	private final Line line;

	private final JobRunner runner;

	private final RunningJobs running;

	private final Set<Thread> threads = new LinkedHashSet<>();

	private @Nullable ThreadFactory threadFactory;

	private final AtomicInteger busy = new AtomicInteger();

	private final LongAdder finished = new LongAdder();

	private final LongAdder interrupted = new LongAdder();

	private @Nullable PollLoop claimLoop;

	private volatile int wakeAt = -1;

	public WorkerPool(Pool pool, Line line, JobRunner runner, RunningJobs running) {
		this.pool = pool;
		this.line = line;
		this.runner = runner;
		this.running = running;
		running.add(line);
	}

	public synchronized void start(ThreadFactory threadFactory) {
		this.threadFactory = threadFactory;
		resize();
	}

	/**
	 * Adjust the threads to the pool's current settings. Surplus threads end before
	 * another job starts.
	 */
	public synchronized void resize() {
		if (this.threadFactory == null) {
			return;
		}
		int missing = this.pool.concurrency() - (this.threads.size() - this.line.ends());
		if (missing < 0) {
			this.line.end(-missing);
			this.line.giveBack((claim) -> true);
		}
		for (int i = 0; i < missing; i++) {
			if (!this.line.takeEndBack()) {
				Thread thread = this.threadFactory.newThread(this::work);
				thread.start();
				this.threads.add(thread);
			}
		}
	}

	/**
	 * Return the settings of the pool.
	 */
	public Pool settings() {
		return this.pool;
	}

	/**
	 * Return the current status of the pool.
	 */
	public WorkerInfo.Pool now() {
		return new WorkerInfo.Pool(this.pool.name(), this.pool.concurrency(), busy(),
				List.copyOf(new TreeSet<>(this.pool.queues())));
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
	 * Set the loop to wake when the pool can take more.
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

	private void work() {
		Slot slot = this.running.newSlot();
		while (true) {
			try {
				Claim claim = this.line.take();
				if (claim == null) {
					leave(slot);
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

	private synchronized void leave(Slot slot) {
		this.running.remove(slot);
		this.threads.remove(Thread.currentThread());
		this.line.ended();
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
	 * Run the jobs in line on the calling thread.
	 * @return how many were run
	 */
	public int runWaiting() {
		int runs = 0;
		Slot slot = this.running.newSlot();
		for (Claim claim = this.line.poll(); claim != null; claim = this.line.poll()) {
			run(claim, slot);
			runs++;
		}
		this.running.remove(slot);
		return runs;
	}

	/**
	 * Stop starting jobs and give back those that wait. Once this returns, no further job
	 * starts.
	 */
	public synchronized void close() {
		this.threadFactory = null;
		this.line.close();
		this.runner.refuse();
		this.line.giveBack((claim) -> true);
		this.line.end(this.threads.size());
	}

	public synchronized List<Thread> threads() {
		return List.copyOf(this.threads);
	}

}
