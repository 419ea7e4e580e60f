package dev.jobs.engine.loop;

import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;

import dev.jobs.engine.context.StoreClock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One thread that does one task again and again. The task returns how long it wants to
 * rest; {@link #wake()} ends the rest at once. Any exception is caught, logged at a
 * bounded rate and followed by a growing rest, so a loop never dies.
 */
public final class PollLoop {

	private static final Logger logger = LoggerFactory.getLogger(PollLoop.class);

	private static final Duration LONGEST_REST = Duration.ofHours(1);

	private static final Duration LONGEST_REST_AFTER_FAULT = Duration.ofSeconds(2);

	private final String name;

	private final Task task;

	private final StoreClock clock;

	private final FaultLog log;

	private final AtomicBoolean woken = new AtomicBoolean();

	private volatile boolean stopping;

	private volatile @Nullable Thread thread;

	private volatile Instant lastSuccess;

	private volatile int faults;

	private volatile long awaitedNanos;

	public PollLoop(String name, Task task, StoreClock clock) {
		this.name = name;
		this.task = task;
		this.clock = clock;
		this.log = new FaultLog(logger, name, clock::nanos);
		this.lastSuccess = clock.now();
		this.awaitedNanos = clock.nanos();
	}

	/**
	 * Log that the store is out of reach only if no other loop has.
	 * @param outages what they have logged
	 */
	public void share(Outages outages) {
		this.log.share(outages);
	}

	public void start() {
		Thread thread = new Thread(this::run, "jobs-" + this.name);
		thread.setDaemon(true);
		this.thread = thread;
		thread.start();
	}

	/**
	 * Do the task now, or once more if it is under way.
	 */
	public void wake() {
		if (!this.woken.get() && !this.woken.getAndSet(true)) {
			LockSupport.unpark(this.thread);
		}
	}

	/**
	 * Ask the loop to end; the task at hand is finished.
	 */
	public void stop() {
		this.stopping = true;
		wake();
	}

	public @Nullable Thread thread() {
		return this.thread;
	}

	public LoopStatus status() {
		return new LoopStatus(this.name, this.lastSuccess, this.faults,
				Duration.ofNanos(Math.max(this.clock.nanos() - this.awaitedNanos, 0)));
	}

	private void run() {
		while (!this.stopping) {
			Duration rest = pollSafely();
			if (!this.stopping && !this.woken.getAndSet(false) && rest.toNanos() > 0) {
				LockSupport.parkNanos(this, rest.toNanos());
				this.woken.set(false);
			}
		}
	}

	private Duration pollSafely() {
		long begin = this.clock.nanos();
		if (begin - this.awaitedNanos < 0) {
			this.awaitedNanos = begin;
		}
		try {
			Duration rest = bounded(this.task.poll());
			this.lastSuccess = this.clock.now();
			this.awaitedNanos = this.clock.nanosAfter(rest);
			if (this.faults > 0) {
				this.log.succeeded(this.faults);
				this.faults = 0;
			}
			return rest;
		}
		catch (Throwable ex) {
			Thread.interrupted();
			return afterFault(ex);
		}
	}

	private static Duration bounded(Duration rest) {
		return (rest.compareTo(LONGEST_REST) > 0) ? LONGEST_REST : rest;
	}

	private Duration afterFault(Throwable ex) {
		int faults = this.faults + 1;
		this.faults = faults;
		this.log.failed(ex, faults);
		return restAfter(faults);
	}

	/**
	 * Return how long to rest after faults, so that the loop continues soon after their
	 * cause is gone, however long it lasted.
	 * @param faults how many there were in a row
	 */
	static Duration restAfter(int faults) {
		return Duration.ofMillis(Math.min(LONGEST_REST_AFTER_FAULT.toMillis(), 10L << Math.min(faults, 10)));
	}

	/**
	 * The task of a loop.
	 */
	@FunctionalInterface
	public interface Task {

		/**
		 * Do it once.
		 * @return how long to rest unless woken
		 * @throws Exception if it failed; it will be tried again
		 */
		Duration poll() throws Exception;

	}

}
