package dev.jobs.engine.context;

import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

import dev.jobs.JobStoreException;
import dev.jobs.store.JobStore;
import dev.jobs.text.ErrorText;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Asks the store for its time where no beats bring it, so that the {@link StoreClock}
 * shows it. Only the machine's clock is corrected; any other was chosen on purpose.
 */
public final class TimeKeeper {

	private static final Logger logger = LoggerFactory.getLogger(TimeKeeper.class);

	private static final long LONGEST_UNASKED = Duration.ofMinutes(1).toNanos();

	private final StoreClock clock;

	private final ReentrantLock asking = new ReentrantLock();

	private volatile boolean storeHasNoTime;

	private volatile @Nullable Fault fault;

	private volatile long mayAskNanos;

	public TimeKeeper(StoreClock clock) {
		this.clock = clock;
		this.mayAskNanos = clock.nanos();
	}

	/**
	 * Learn the store's time, unless it is known.
	 */
	public void askOnce(JobStore store) {
		if (isMissing()) {
			ask(store);
		}
	}

	/**
	 * Learn the store's time, unless that was done a short while ago. After a jump of the
	 * machine's clock it asks at once: the machine may have slept, and the counter with
	 * it. While the store is out of reach, the last known time is used, or the machine's
	 * clock if none is known.
	 * @param store finds the store
	 */
	public void askNowAndThen(Supplier<JobStore> store) {
		if (mayAsk() && this.clock.isOlderThan(LONGEST_UNASKED)) {
			ask(store, this.clock.nanos());
		}
	}

	/**
	 * Ask as {@link #askNowAndThen} does, and fail as long as the time is unknown. If the
	 * store is not reached, ask twice, since a slow connection may be up by then.
	 * @param store finds the store
	 * @throws JobStoreException if the store has a clock and has not reported its time
	 * yet
	 */
	public void require(Supplier<JobStore> store) {
		if (!isMissing()) {
			askNowAndThen(store);
			return;
		}
		JobStoreException missing = missing(store);
		if (missing != null && missing.isTemporary()) {
			missing = missing(store);
		}
		if (missing != null) {
			throw missing;
		}
	}

	private @Nullable JobStoreException missing(Supplier<JobStore> store) {
		ask(store, this.clock.nanos());
		Fault fault = this.fault;
		if (!isMissing() || fault == null) {
			return null;
		}
		JobStoreException known = (fault.cause() instanceof JobStoreException ex) ? ex : null;
		return JobStoreException.refused(
				"The job was not stored: " + ((known != null) ? known.getMessage() : ErrorText.of(fault.cause())),
				fault.cause(), known == null || known.isTemporary());
	}

	private boolean isMissing() {
		return this.clock.isOfMachine() && !this.storeHasNoTime && !this.clock.isOfStore();
	}

	/**
	 * Ask the store, unless another thread has done so since.
	 */
	private void ask(Supplier<JobStore> store, long begun) {
		if (!this.clock.isOfStore()) {
			this.asking.lock();
		}
		else if (!this.asking.tryLock()) {
			return;
		}
		try {
			Fault fault = this.fault;
			if (this.clock.isOlderThan(LONGEST_UNASKED) && !this.storeHasNoTime
					&& (fault == null || fault.nanos() - begun <= 0)) {
				ask(store.get());
			}
		}
		catch (RuntimeException ex) {
			this.fault = new Fault(ex, this.clock.nanos());
			this.mayAskNanos = this.clock.nanos() + LONGEST_UNASKED;
			logger.debug("The store does not report its time", ErrorText.loggable(ex));
		}
		finally {
			this.asking.unlock();
		}
	}

	private boolean mayAsk() {
		return this.clock.isOfMachine() && !this.storeHasNoTime && this.clock.nanos() - this.mayAskNanos >= 0;
	}

	private void ask(JobStore store) {
		long sent = this.clock.nanos();
		Instant time = store.time().orElse(null);
		this.storeHasNoTime = time == null;
		this.clock.learn(time, sent);
	}

	/**
	 * A failed request for the time of the store.
	 *
	 * @param cause the fault
	 * @param nanos when it was reported, by the counter
	 */
	private record Fault(RuntimeException cause, long nanos) {

	}

}
