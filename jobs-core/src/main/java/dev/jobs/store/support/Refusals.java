package dev.jobs.store.support;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;

import dev.jobs.JobStoreException;
import dev.jobs.text.ErrorText;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Single items that the store refuses although it is in reach, such as the end of a job
 * that a trigger of the database refuses. Each is set aside and tried again after a rest
 * that grows, for as long as the process lives, and no other item waits for it. Operators
 * see refused items among the faults of the store, and in the log at a bounded rate.
 */
public final class Refusals {

	private static final Logger logger = LoggerFactory.getLogger(Refusals.class);

	private static final Duration SHORTEST_REST = Duration.ofSeconds(1);

	private static final Duration LONGEST_REST = Duration.ofSeconds(30);

	private static final Duration LOG_INTERVAL = Duration.ofSeconds(30);

	/** How many lines are logged in an interval. */
	private static final int MOST_LOGGED = 5;

	/** How many are listed; the rest are only counted. */
	private static final int MOST_LISTED = 20;

	/** How many are remembered; more are tried again, but not named. */
	private static final int MOST_REMEMBERED = 1000;

	/**
	 * How long an item still counts as refused after its rest if it is not tried again.
	 */
	private static final Duration REMEMBERED = Duration.ofMinutes(1);

	/** How many causes of a fault are examined. */
	private static final int DEEPEST = 20;

	private final LongSupplier nanos;

	private final Map<What, Refused> all = new LinkedHashMap<>();

	private volatile boolean empty = true;

	private long intervalNanos;

	private int logged;

	private int unlogged;

	/**
	 * Create empty refusals that use the counter of the machine.
	 */
	public Refusals() {
		this(System::nanoTime);
	}

	/**
	 * Create empty refusals.
	 * @param nanos a counter of nanoseconds
	 */
	public Refusals(LongSupplier nanos) {
		this.nanos = nanos;
		this.intervalNanos = nanos.getAsLong();
	}

	/**
	 * Return whether the same call may succeed later without an operator, for example
	 * because the store is out of reach.
	 * @param fault what a call threw
	 */
	public static boolean isTemporary(RuntimeException fault) {
		return fault instanceof JobStoreException thrown && thrown.isTemporary();
	}

	/**
	 * Hand items to the store so that no item delays the others: all together and, if
	 * they are refused, in halves until each refused item is alone.
	 * @param <T> the type of the items
	 * @param items the items
	 * @param call hands some of them over
	 * @param refused takes each item that is refused, and why
	 * @throws RuntimeException if the store is out of reach; the items after that are
	 * left out
	 */
	public static <T> void divide(List<T> items, Consumer<List<T>> call, BiConsumer<T, RuntimeException> refused) {
		if (items.isEmpty()) {
			return;
		}
		try {
			call.accept(items);
		}
		catch (RuntimeException ex) {
			if (isTemporary(ex)) {
				throw ex;
			}
			if (items.size() == 1) {
				refused.accept(items.get(0), ex);
				return;
			}
			int half = items.size() / 2;
			divide(items.subList(0, half), call, refused);
			divide(items.subList(half, items.size()), call, refused);
		}
	}

	/**
	 * Record that something is refused.
	 * @param what what it is
	 * @param cause why it is refused
	 * @return how long to leave it alone
	 */
	public synchronized Duration add(What what, Throwable cause) {
		forgetOld();
		Refused before = this.all.get(what);
		int times = (before != null) ? before.times + 1 : 1;
		Duration rest = restAfter(times);
		Refused refused = new Refused(reasonOf(cause), times, this.nanos.getAsLong() + rest.toNanos());
		if (before != null || this.all.size() < MOST_REMEMBERED) {
			this.all.put(what, refused);
			this.empty = false;
		}
		if (mayLog()) {
			logger.warn("{}. Others continue; this is tried again until the store takes it{}", text(what, refused),
					(this.unlogged > 0) ? " (" + this.unlogged + " refusals since the last such line)" : "");
			this.unlogged = 0;
		}
		else {
			this.unlogged++;
		}
		return rest;
	}

	/**
	 * Return the reason for a refusal in one line. Further lines of a database's message
	 * may contain the row itself.
	 * @param fault what a call threw
	 * @return the reason
	 */
	public static String reasonOf(Throwable fault) {
		Throwable cause = fault;
		for (int i = 0; i < DEEPEST && cause.getCause() != null; i++) {
			cause = cause.getCause();
		}
		String message = cause.getMessage();
		return ErrorText.clean((message == null || message.isBlank()) ? cause.getClass().getName()
				: message.strip().lines().findFirst().orElse(""));
	}

	private static Duration restAfter(int times) {
		Duration rest = SHORTEST_REST.multipliedBy(1L << Math.min(times - 1, 10));
		return (rest.compareTo(LONGEST_REST) < 0) ? rest : LONGEST_REST;
	}

	/**
	 * Return whether nothing is refused.
	 * @return whether that is so; this costs nothing
	 */
	public boolean isEmpty() {
		return this.empty;
	}

	/**
	 * Return whether something was refused and is not to be tried again yet.
	 * @return whether that is so
	 */
	public boolean isResting(What what) {
		return !this.empty && resting(what.kind).contains(what.id);
	}

	/**
	 * Return what was refused and is not to be tried again yet.
	 * @param kind what kind of thing
	 */
	public Set<String> resting(String kind) {
		if (this.empty) {
			return Set.of();
		}
		synchronized (this) {
			forgetOld();
			long now = this.nanos.getAsLong();
			return this.all.entrySet()
				.stream()
				.filter((entry) -> entry.getKey().kind.equals(kind) && entry.getValue().untilNanos - now > 0)
				.map((entry) -> entry.getKey().id)
				.collect(Collectors.toSet());
		}
	}

	/**
	 * Forget items that were not tried again for long after their rest: they are gone, or
	 * were accepted.
	 */
	private void forgetOld() {
		long then = this.nanos.getAsLong() - REMEMBERED.toNanos();
		this.all.values().removeIf((refused) -> refused.untilNanos - then < 0);
		this.empty = this.all.isEmpty();
	}

	/**
	 * Record that something is not tried again.
	 */
	public synchronized void forget(What what) {
		this.all.remove(what);
		this.empty = this.all.isEmpty();
	}

	/**
	 * Record that the store has accepted something.
	 * @param what what it is
	 */
	public void taken(What what) {
		if (this.empty) {
			return;
		}
		synchronized (this) {
			Refused refused = this.all.remove(what);
			this.empty = this.all.isEmpty();
			if (refused != null && mayLog()) {
				logger.info("The store no longer refuses {} after {} time(s)", what, refused.times);
			}
		}
	}

	private boolean mayLog() {
		long now = this.nanos.getAsLong();
		if (now - this.intervalNanos > LOG_INTERVAL.toNanos()) {
			this.intervalNanos = now;
			this.logged = 0;
		}
		return this.logged++ < MOST_LOGGED;
	}

	private static String text(What what, Refused refused) {
		return "The store refuses " + what + " (" + refused.times + " time(s)): " + refused.cause;
	}

	/**
	 * Return what is refused now, for operators.
	 * @return a fault for each, up to a bound
	 */
	public synchronized List<StoreFault> faults() {
		forgetOld();
		List<StoreFault> faults = new ArrayList<>();
		this.all.entrySet()
			.stream()
			.limit(MOST_LISTED)
			.forEach((entry) -> faults.add(new StoreFault(false, text(entry.getKey(), entry.getValue()))));
		if (this.all.size() > MOST_LISTED) {
			faults.add(new StoreFault(false, "The store refuses " + (this.all.size() - MOST_LISTED) + " more"));
		}
		return faults;
	}

	/**
	 * Something that is refused.
	 *
	 * @param kind what kind of thing, such as "the end of job"
	 * @param name the job name, or that of the schedule
	 * @param id the id of the job; empty if none
	 */
	public record What(String kind, String name, String id) {

		/**
		 * The longest part of an id that is shown; another program may have written a
		 * longer id.
		 */
		private static final int LONGEST = 100;

		@Override
		public String toString() {
			return this.kind + (this.name.isEmpty() ? "" : " '" + ErrorText.clean(this.name, LONGEST) + "'")
					+ (this.id.isEmpty() ? "" : " " + ErrorText.clean(this.id, LONGEST));
		}

	}

	/**
	 * A refusal.
	 *
	 * @param cause why
	 * @param times how often in a row
	 * @param untilNanos until when it rests
	 */
	private record Refused(String cause, int times, long untilNanos) {

	}

}
