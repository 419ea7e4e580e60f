package dev.jobs.engine.context;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

import dev.jobs.JobStoreException;
import dev.jobs.store.JobStore;
import dev.jobs.text.ErrorText;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The only clock of the engine. Where the store has a time, it gives that: the time
 * learnt last, and what a counter says has passed since, so that the clock of this
 * machine may be wrong and may jump. It is never ahead of the store's, and behind by no
 * more than a reply takes. Where the store has none, and until it has been learnt, it is
 * the time of the application, which must not decide when a job is due. All in whole
 * milliseconds, so that all stores see the same instants.
 */
public final class StoreClock {

	/** The time of this machine. */
	public static final InstantSource SYSTEM = InstantSource.system();

	/** The clocks of Java that show it, whole or cut. */
	private static final Set<Clock> OF_MACHINE = Set.of(Clock.systemUTC(), Clock.tickMillis(ZoneOffset.UTC),
			Clock.tickSeconds(ZoneOffset.UTC), Clock.tickMinutes(ZoneOffset.UTC));

	/** No job is due later; every store can keep this instant. */
	static final Instant LATEST = Instant.parse("9999-12-31T23:59:59Z");

	private static final Logger logger = LoggerFactory.getLogger(StoreClock.class);

	private static final Duration CENTURY = Duration.ofDays(36_500);

	private static final long LONGEST_UNASKED = Duration.ofMinutes(1).toNanos();

	private static final Duration JUMP = Duration.ofSeconds(1);

	/** Of so many nanoseconds, a counter is wrong by one at most. */
	private static final long DRIFT = 2000;

	private final InstantSource source;

	private final boolean correctable;

	private final LongSupplier counter;

	private final String name;

	private final AtomicBoolean warned = new AtomicBoolean();

	private final ReentrantLock asking = new ReentrantLock();

	private volatile @Nullable Learnt learnt;

	private volatile boolean storeHasNoTime;

	private volatile @Nullable Fault fault;

	private volatile long mayAskNanos;

	public StoreClock(InstantSource source, boolean correctable) {
		this(source, correctable, System::nanoTime);
	}

	public StoreClock(InstantSource source, boolean correctable, LongSupplier counter) {
		this(source, correctable, counter, source.getClass().getName());
	}

	private StoreClock(InstantSource source, boolean correctable, LongSupplier counter, String name) {
		this.source = source;
		this.correctable = correctable;
		this.counter = counter;
		this.name = name;
		this.mayAskNanos = counter.getAsLong();
	}

	/**
	 * Create a clock.
	 * @param source the application's time
	 * @param name what the log calls it
	 * @return a clock that is corrected only if that is the time of the machine; any
	 * other was chosen
	 */
	public static StoreClock of(InstantSource source, String name) {
		boolean ofMachine = isOfMachine(source);
		return new StoreClock(ofMachine ? SYSTEM : source, ofMachine, System::nanoTime, name);
	}

	private static boolean isOfMachine(InstantSource source) {
		return source.equals(SYSTEM)
				|| (source instanceof Clock clock && OF_MACHINE.contains(clock.withZone(ZoneOffset.UTC)));
	}

	/**
	 * Return whether this is the time of the machine, which nobody sets on purpose.
	 * @return whether it is
	 */
	public boolean isOfMachine() {
		return this.correctable;
	}

	/**
	 * Return whether this is the time of the store's server.
	 * @return whether the store has a time, and it was learnt and not refused
	 */
	public boolean isOfStore() {
		return this.learnt != null;
	}

	/**
	 * Return the current time.
	 * @return the instant, in whole milliseconds
	 */
	public Instant now() {
		return exactly().truncatedTo(ChronoUnit.MILLIS);
	}

	/**
	 * Return how long it is until an instant.
	 * @param instant the instant
	 * @return the time, which is not cut; negative if it has passed
	 */
	public Duration until(Instant instant) {
		return Duration.between(exactly(), instant);
	}

	private Instant exactly() {
		Learnt learnt = this.learnt;
		return (learnt != null) ? learnt.at(nanos()) : this.source.instant();
	}

	/**
	 * Return the instant that is a time from now.
	 * @param duration the time
	 * @return the instant, {@link #LATEST} at the latest
	 */
	public Instant after(Duration duration) {
		return later(now(), duration);
	}

	/**
	 * Return when a delay is surely over that begins now. It counts from the latest that
	 * the store's time may be, which is later by the way of a reply.
	 * @param now what {@link #now()} has returned
	 * @param delay the delay; less than zero is taken as zero
	 * @return the instant, {@link #LATEST} at the latest
	 */
	public Instant due(Instant now, Duration delay) {
		Learnt learnt = this.learnt;
		if (learnt == null || delay.isNegative() || delay.isZero()) {
			return later(now, delay);
		}
		return later(now.plus(learnt.doubt()), delay);
	}

	/**
	 * Return what {@link #nanos()} will be after a time.
	 * @param duration the time
	 * @return the number, in a century at the latest
	 */
	public long nanosAfter(Duration duration) {
		return nanos() + ((duration.compareTo(CENTURY) < 0) ? duration : CENTURY).toNanos();
	}

	/**
	 * Return a number that grows by one each nanosecond, whatever happens to the clock.
	 * @return the number
	 */
	public long nanos() {
		return this.counter.getAsLong();
	}

	/**
	 * Learn from the store's time in a reply. When the reply arrives it is that time at
	 * least, and later by the whole way of the call at most. What is known already and
	 * lies between stays, since it came with a quicker reply.
	 * @param serverTime the store's time, or {@code null} if it has none
	 * @param sentNanos when the call was sent, by {@link #nanos()}
	 */
	public synchronized void learn(@Nullable Instant serverTime, long sentNanos) {
		if (serverTime == null) {
			return;
		}
		if (!this.correctable) {
			warnOfChoice();
			return;
		}
		Instant machine = this.source.instant();
		long now = nanos();
		Learnt known = this.learnt;
		Instant expected = (known != null) ? known.at(now).minusNanos((now - known.nanos()) / DRIFT) : serverTime;
		Instant latest = serverTime.plusNanos(Math.max(now - sentNanos, 0));
		boolean possible = !expected.isBefore(serverTime) && !expected.isAfter(latest);
		Instant time = possible ? expected : serverTime;
		Instant knownLatest = (known != null) ? known.at(now).plus(known.doubt()) : latest;
		boolean closer = !knownLatest.isBefore(time) && knownLatest.isBefore(latest);
		this.learnt = new Learnt(time, now, machine, Duration.between(time, closer ? knownLatest : latest));
	}

	/**
	 * Say once that a time is not used which all others go by that share the jobs.
	 */
	private void warnOfChoice() {
		if (this.warned.compareAndSet(false, true)) {
			logger
				.warn("The engine goes by a clock that is not the machine's, {}, and so not by the time of the store's "
						+ "server: jobs run too early, too late or twice if it differs from the clocks of other processes. "
						+ "Unless that is meant, as in a test, give the engine Clock.systemUTC(), with Spring Boot by "
						+ "JobEngineCustomizer", this.name);
		}
	}

	/**
	 * Learn the store's time, unless that was done already.
	 * @param store the store
	 */
	public void askOnce(JobStore store) {
		if (this.correctable && !this.storeHasNoTime && this.learnt == null) {
			ask(store);
		}
	}

	/**
	 * Learn the store's time, unless that was done a short while ago. A jump of the
	 * machine's clock is a reason to ask at once: it may have slept, and the counter with
	 * it. If the store is out of reach, what is known has to do for a while, and so has
	 * the machine's clock if nothing is.
	 * @param store finds the store
	 */
	public void askNowAndThen(Supplier<JobStore> store) {
		if (mayAsk() && isAnswerOld()) {
			ask(store, nanos());
		}
	}

	/**
	 * Ask as {@link #askNowAndThen} does, and fail as long as nothing is known. A store
	 * that is not reached is asked twice, since a slow connection may be there by then.
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
		ask(store, nanos());
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
		return this.correctable && !this.storeHasNoTime && this.learnt == null;
	}

	/**
	 * Ask the store, unless another thread has done so since.
	 */
	private void ask(Supplier<JobStore> store, long begun) {
		if (this.learnt == null) {
			this.asking.lock();
		}
		else if (!this.asking.tryLock()) {
			return;
		}
		try {
			Fault fault = this.fault;
			if (isAnswerOld() && !this.storeHasNoTime && (fault == null || fault.nanos() - begun <= 0)) {
				ask(store.get());
			}
		}
		catch (RuntimeException ex) {
			this.fault = new Fault(ex, nanos());
			this.mayAskNanos = nanos() + LONGEST_UNASKED;
			logger.debug("The store does not report its time", ErrorText.loggable(ex));
		}
		finally {
			this.asking.unlock();
		}
	}

	private boolean mayAsk() {
		return this.correctable && !this.storeHasNoTime && nanos() - this.mayAskNanos >= 0;
	}

	private boolean isAnswerOld() {
		Learnt learnt = this.learnt;
		if (learnt == null) {
			return true;
		}
		long passed = nanos() - learnt.nanos();
		return passed > LONGEST_UNASKED || Duration.between(learnt.machine(), this.source.instant())
			.minusNanos(passed)
			.abs()
			.compareTo(JUMP) > 0;
	}

	private void ask(JobStore store) {
		long sent = nanos();
		Instant time = store.time();
		this.storeHasNoTime = time == null;
		learn(time, sent);
	}

	/**
	 * Return the instant that comes a time after another.
	 * @param instant the other
	 * @param duration the time; less than zero is taken as zero
	 * @return the instant in whole milliseconds, {@link #LATEST} at the latest
	 */
	public static Instant later(Instant instant, Duration duration) {
		if (duration.isNegative()) {
			return instant;
		}
		return (duration.compareTo(Duration.between(instant, LATEST)) < 0) ? roundUp(instant.plus(duration)) : LATEST;
	}

	/**
	 * Round an instant up to what stores keep, so that no job is early.
	 * @param instant the instant
	 * @return the instant in whole milliseconds, {@link #LATEST} at the latest
	 */
	public static Instant roundUp(Instant instant) {
		if (!instant.isBefore(LATEST)) {
			return LATEST;
		}
		Instant rounded = instant.truncatedTo(ChronoUnit.MILLIS);
		return rounded.equals(instant) ? instant : rounded.plusMillis(1);
	}

	/**
	 * What happened when the store was asked for its time.
	 *
	 * @param cause the fault
	 * @param nanos when it was reported, by the counter
	 */
	private record Fault(RuntimeException cause, long nanos) {

	}

	/**
	 * A time of the store.
	 *
	 * @param time the time
	 * @param nanos when it was that, by the counter
	 * @param machine what the clock of the machine showed then
	 * @param doubt how much later it may have been
	 */
	private record Learnt(Instant time, long nanos, Instant machine, Duration doubt) {

		Instant at(long nanos) {
			return this.time.plusNanos(nanos - this.nanos);
		}

	}

}
