package dev.jobs.engine.context;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The only clock of the engine. If the store has a time, this shows it: the time learnt
 * last plus the time that has passed since by a counter, so that the clock of this
 * machine may be wrong and may jump. It is never ahead of the store's clock, and behind
 * by no more than a reply takes. Without a store's time, and until it is learnt, it shows
 * the application's time, which must not decide when a job is due. Everything is in whole
 * milliseconds, so that all stores see the same instants.
 */
public final class StoreClock {

	/** The time of this machine. */
	public static final InstantSource SYSTEM = InstantSource.system();

	/** Java's clocks that show it, exact or truncated. */
	private static final Set<Clock> OF_MACHINE = Set.of(Clock.systemUTC(), Clock.tickMillis(ZoneOffset.UTC),
			Clock.tickSeconds(ZoneOffset.UTC), Clock.tickMinutes(ZoneOffset.UTC));

	private static final Logger logger = LoggerFactory.getLogger(StoreClock.class);

	private static final Duration CENTURY = Duration.ofDays(36_500);

	private static final Duration JUMP = Duration.ofSeconds(1);

	/** In so many nanoseconds a counter drifts by at most one. */
	private static final long DRIFT = 2000;

	private final InstantSource source;

	private final boolean correctable;

	private final LongSupplier counter;

	private final String name;

	private final AtomicBoolean warned = new AtomicBoolean();

	private volatile @Nullable Learnt learnt;

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
	}

	/**
	 * Create a clock.
	 * @param source the application's time
	 * @param name what the log calls it
	 * @return a clock that is corrected only if the source is the machine's clock; any
	 * other was chosen on purpose
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
	 * Return the time until an instant.
	 * @return the exact time; negative if the instant has passed
	 */
	public Duration until(Instant instant) {
		return Duration.between(exactly(), instant);
	}

	/**
	 * Return whether an instant has certainly not passed, even if the store's time is the
	 * latest that it can be.
	 */
	public boolean isSurelyBefore(Instant instant) {
		Learnt learnt = this.learnt;
		return !exactly().plus((learnt != null) ? learnt.doubt() : Duration.ZERO).isAfter(instant);
	}

	private Instant exactly() {
		Learnt learnt = this.learnt;
		return (learnt != null) ? learnt.at(nanos()) : this.source.instant();
	}

	/**
	 * Return the instant that is a time from now.
	 * @return the instant, {@link Millis#LATEST} at the latest
	 */
	public Instant after(Duration duration) {
		return Millis.later(now(), duration);
	}

	/**
	 * Return when a delay that begins now is certainly over. It counts from the latest
	 * that the store's time can be, which includes the latency of the reply.
	 * @param now what {@link #now()} has returned
	 * @param delay the delay; less than zero is taken as zero
	 * @return the instant, {@link Millis#LATEST} at the latest
	 */
	public Instant due(Instant now, Duration delay) {
		Learnt learnt = this.learnt;
		if (learnt == null || delay.isNegative() || delay.isZero()) {
			return Millis.later(now, delay);
		}
		return Millis.later(now.plus(learnt.doubt()), delay);
	}

	/**
	 * Return what {@link #nanos()} will be after a time.
	 * @return the number, in a century at the latest
	 */
	public long nanosAfter(Duration duration) {
		return nanos() + ((duration.compareTo(CENTURY) < 0) ? duration : CENTURY).toNanos();
	}

	/**
	 * Return a number that grows by one each nanosecond, whatever happens to the clock.
	 */
	public long nanos() {
		return this.counter.getAsLong();
	}

	/**
	 * Learn from the store's time in a reply. When the reply arrives, the store's time is
	 * at least that, and later by at most the round trip. A known time within these
	 * bounds stays, since it came with a quicker reply.
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
	 * Return whether the store's time is unknown or was learnt too long ago. A jump of
	 * the machine's clock also makes it doubtful: the machine may have slept, and the
	 * counter with it.
	 * @param longest the most nanoseconds that are not too long
	 */
	boolean isOlderThan(long longest) {
		Learnt learnt = this.learnt;
		if (learnt == null) {
			return true;
		}
		long passed = nanos() - learnt.nanos();
		return passed > longest || Duration.between(learnt.machine(), this.source.instant())
			.minusNanos(passed)
			.abs()
			.compareTo(JUMP) > 0;
	}

	/**
	 * Log once that the engine ignores the time that all other processes with these jobs
	 * use.
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
