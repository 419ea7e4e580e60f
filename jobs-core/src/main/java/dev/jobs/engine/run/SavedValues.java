package dev.jobs.engine.run;

import java.lang.reflect.Type;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import java.util.stream.Stream;

import dev.jobs.Cursor;
import dev.jobs.JobContext;
import dev.jobs.JobResult;
import dev.jobs.JobStoreException;
import dev.jobs.LeaseLostException;
import dev.jobs.NotInTimeException;
import dev.jobs.Signal;
import dev.jobs.Step;
import dev.jobs.Trail;
import dev.jobs.engine.context.Events;
import dev.jobs.engine.context.WorkerContext;
import dev.jobs.engine.result.JobEnd;
import dev.jobs.engine.result.Results;
import dev.jobs.engine.result.Waits;
import dev.jobs.engine.run.HandlerTransactions.End;
import dev.jobs.engine.run.HandlerTransactions.Fate;
import dev.jobs.serialization.PayloadException;
import dev.jobs.serialization.PayloadSerializer;
import dev.jobs.store.Claim;
import dev.jobs.store.Save;
import dev.jobs.store.Settled;
import dev.jobs.store.view.EndView;
import dev.jobs.store.view.SavedView;
import dev.jobs.text.ErrorText;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What the job of a run has saved in earlier runs and saves in this one. It is read when
 * the handler first asks.
 */
final class SavedValues {

	static final int MOST_NAMES = 10_000;

	static final int LARGEST_JOB = 16 << 20;

	private static final Duration LONGEST_WAIT = Duration.ofDays(3650);

	private static final String UNTIL = "until ";

	private static final byte[] OVER = "\"over\"".getBytes(StandardCharsets.US_ASCII);

	private static final Logger logger = LoggerFactory.getLogger(SavedValues.class);

	private static final Duration BETWEEN_FLUSHES = Duration.ofSeconds(1);

	private static final Duration FIRST_REST = Duration.ofMillis(20);

	private static final Duration LONGEST_REST = Duration.ofSeconds(1);

	private final Claim claim;

	private final WorkerContext context;

	private final PayloadSerializer serializer;

	private final Map<String, byte[]> values = new ConcurrentHashMap<>();

	/** How many bytes the values have. */
	private final AtomicLong size = new AtomicLong();

	private final Set<String> used = ConcurrentHashMap.newKeySet();

	private final List<Position<?>> cursors = new CopyOnWriteArrayList<>();

	private final Owner owner;

	/** What the table of marks had when this run first asked. */
	private volatile @Nullable Map<String, byte[]> marked;

	/**
	 * Read what the job has saved, unless the run is to end. If another worker may have
	 * the job, that may have ended, and what it had saved is gone: then this waits until
	 * the store has decided.
	 */
	SavedValues(Claim claim, WorkerContext context, Owner owner) {
		this.claim = claim;
		this.context = context;
		this.owner = owner;
		this.serializer = context.registry().serializer();
		for (SavedView saved : again(true, this::read)) {
			put(saved.name(), saved.value());
		}
		context.testPoints().saved(claim.job().id()).forEach((name, value) -> save(name, written(name, value)));
	}

	private List<SavedView> read() {
		List<SavedView> saved = this.context.store().inspector().saved(this.claim.job().name(), this.claim.job().id());
		if (!this.owner.isSure()) {
			throw new JobStoreException("Another worker may have the job", null, true);
		}
		return saved;
	}

	boolean isEmpty() {
		return this.values.isEmpty();
	}

	@SuppressWarnings("NullAway") // a value that was null is null again
	<T extends @Nullable Object, E extends Exception> T step(Step step, Type type, JobContext.Action<T, E> action)
			throws E {
		byte[] saved = find(step);
		if (saved != null) {
			return read(step.name(), type, saved);
		}
		// A type that can never be read is found out before the effect.
		this.serializer.reader(type);
		prepare(step);
		T value = action.run();
		byte[] written = written(step.name(), value);
		dieIfWanted(step, false);
		save(step.name(), written);
		saved(step);
		return value;
	}

	/**
	 * Do a step in a transaction that is committed together with what shows that it is
	 * done. If that fails after the action, it may be done all the same: by this run,
	 * whose commit got no answer, or by another that has the job, too.
	 */
	@SuppressWarnings({ "unchecked", "NullAway" }) // the action threw what it throws
	<T extends @Nullable Object, E extends Exception> T step(Step step, Type type, JobContext.Action<T, E> action,
			StepTransactions transactions) throws E {
		byte[] saved = find(step);
		if (saved == null && transactions.marks() != null) {
			this.marked = (this.marked != null) ? this.marked : again(true, () -> transactions.committed(this.claim));
			saved = committed(step, this.marked, transactions);
		}
		if (saved != null) {
			return read(step.name(), type, saved);
		}
		this.serializer.reader(type);
		prepare(step);
		AtomicReference<@Nullable T> value = new AtomicReference<>();
		AtomicReference<@Nullable Save> done = new AtomicReference<>();
		AtomicReference<@Nullable Throwable> thrown = new AtomicReference<>();
		End end = transactions.run(() -> {
			try {
				transactions.requireTransaction();
				value.set(action.run());
				Save save = saveOf(step.name(), written(step.name(), value.get()));
				dieIfWanted(step, false);
				requireHeld();
				done.set(save);
				if (!transactions.note(save, this.claim, this.context.clock().now())) {
					throw lost();
				}
				return true;
			}
			catch (Throwable ex) {
				thrown.set(ex);
				return false;
			}
		});
		if (end.fate() == Fate.NOT_BEGUN) {
			throw this.owner.unwind(end.postponed("the transaction of step '" + step.name() + "'"));
		}
		if (end.fate() == Fate.COMMITTED) {
			keep(done.get(), transactions);
			saved(step);
			return value.get();
		}
		if (done.get() != null) {
			if (thrown.get() instanceof LeaseLostException) {
				this.owner.lost();
			}
			else {
				saved = committed(step, again(true, () -> transactions.committed(this.claim)), transactions);
			}
		}
		if (saved != null) {
			return read(step.name(), type, saved);
		}
		if (thrown.get() != null) {
			throw (E) thrown.get();
		}
		throw new IllegalStateException((end.fate() == Fate.UNKNOWN)
				? "It is unknown whether the transaction of step '" + step.name()
						+ "' was committed; the next attempt finds out"
				: "The transaction of step '" + step.name() + "' was rolled back", end.cause());
	}

	private void prepare(Step step) {
		this.context.testPoints().doing(this.claim.job().id(), step.name());
		flush(true);
	}

	private byte @Nullable [] committed(Step step, Map<String, byte[]> committed, StepTransactions transactions) {
		for (String name : names(step)) {
			byte[] value = committed.get(name);
			if (value != null) {
				keep(saveOf(name, value), transactions);
				return value;
			}
		}
		return null;
	}

	/**
	 * Keep a committed value where operators see it.
	 */
	private void keep(Save save, StepTransactions transactions) {
		if (transactions.joinsStore()) {
			put(save.name(), save.value());
		}
		else {
			save(List.of(save));
		}
	}

	private void saved(Step step) {
		this.context.events()
			.publish(() -> new Events.StepSaved(this.claim.job(), step.name(), this.context.clock().now()));
		dieIfWanted(step, true);
	}

	private void dieIfWanted(Step step, boolean saved) {
		if (this.context.testPoints().reach(step.name(), saved)) {
			throw this.owner.kill();
		}
	}

	<T extends @Nullable Object> Cursor<T> cursor(String name, Type type, T first) {
		byte[] saved = find(Step.named(name));
		Position<T> position = new Position<>(name, (saved != null) ? read(name, type, saved) : first);
		this.cursors.add(position);
		return position;
	}

	/**
	 * End the run until the sleep is over.
	 */
	void sleep(String name, Duration duration) {
		byte[] saved = find(Step.named(name));
		Instant until = (saved != null) ? time(name, saved)
				: this.context.clock().due(this.context.clock().now(), duration);
		if (saved == null) {
			prepare(Step.named(name));
			save(name, ("\"" + until + "\"").getBytes(StandardCharsets.US_ASCII));
		}
		if (until.isAfter(this.context.clock().now())) {
			throw this.owner.unwind(JobResult.snoozeUntil(until));
		}
	}

	/**
	 * Return the value of a signal, or end the run until it comes. The signal wins if
	 * both it and the end of the time are there, and what has won is saved.
	 */
	<T> T await(Signal<T> signal, String about, Duration timeout) {
		byte[] saved = find(Step.named(about));
		if (saved != null) {
			return read(about, signal.type(), saved);
		}
		prepare(Step.named(about));
		String limit = UNTIL + about;
		byte[] until = this.values.get(limit);
		if (until == null || !Arrays.equals(until, OVER)) {
			String thing = Waits.SIGNAL + about;
			EndView end = again(true, () -> ends(thing)).get(thing);
			if (end != null && end.value() != null) {
				T value = read(about, signal.type(), end.value());
				save(about, end.value());
				return value;
			}
			Instant now = this.context.clock().now();
			Instant latest = (until != null) ? time(limit, until) : this.context.clock().due(now, timeout);
			if (latest.isAfter(now)) {
				if (until == null) {
					save(limit, ("\"" + latest + "\"").getBytes(StandardCharsets.US_ASCII));
				}
				throw this.owner.park(Trail.Wait.of(thing, now), latest);
			}
			save(limit, OVER);
		}
		throw new NotInTimeException("The signal " + about + " has not come in time for job '" + this.claim.job().name()
				+ "' " + this.claim.job().id(), this.claim.job().id());
	}

	/**
	 * Return what another job returned, or end the run until that has ended.
	 */
	<T extends @Nullable Object> T await(String job, Type type) {
		if (job.equals(this.claim.job().id())) {
			throw new IllegalArgumentException("Job " + job + " cannot wait for its own end");
		}
		Step step = Step.named("job " + job);
		byte[] saved = find(step);
		if (saved != null) {
			return read(step.name(), type, saved);
		}
		prepare(step);
		EndView found = again(true, () -> ends(job)).get(job);
		JobEnd end = JobEnd.of(job, found, null);
		String looked = UNTIL + step.name();
		boolean mayCome = found == null && !this.values.containsKey(looked);
		if (end == null || mayCome) {
			Instant now = this.context.clock().now();
			Duration patience = mayCome ? Results.UNKNOWN_FOR : LONGEST_WAIT;
			if (mayCome) {
				save(looked, OVER);
			}
			throw this.owner.park(Trail.Wait.of(job, now), now.plus(patience));
		}
		byte[] bytes = end.bytes();
		T value = read(step.name(), type, bytes);
		save(step.name(), bytes);
		return value;
	}

	private Map<String, EndView> ends(String thing) {
		return this.context.store().inspector().ends(List.of(thing), this.context.clock().now());
	}

	private Instant time(String name, byte[] saved) {
		try {
			return Instant.parse(new String(saved, StandardCharsets.US_ASCII).replace("\"", ""));
		}
		catch (DateTimeParseException ex) {
			throw unreadable(name, "a time to sleep until", ex);
		}
	}

	/**
	 * Find what was saved under a name, each of which may be used once in a run: by two
	 * calls with the same name the second would get the value of the first.
	 */
	private byte @Nullable [] find(Step step) {
		requireHeld();
		Unwinding unwinding = this.owner.unwinding();
		if (unwinding != null) {
			throw unwinding;
		}
		if (!this.used.add(step.name())) {
			throw new IllegalStateException("The name '" + step.name() + "' was used before in this run of job '"
					+ this.claim.job().name() + "'; give each step, cursor and sleep a name of its own, in a loop "
					+ "for example with the key of the item");
		}
		byte[] saved = null;
		for (String name : names(step)) {
			saved = (saved != null) ? saved : this.values.get(name);
		}
		return saved;
	}

	private static List<String> names(Step step) {
		return Stream.concat(Stream.of(step.name()), step.formerNames().stream()).toList();
	}

	@SuppressWarnings({ "unchecked", "NullAway" })
	private <T extends @Nullable Object> T read(String name, Type type, byte[] saved) {
		try {
			return (T) this.serializer.reader(type).read(saved);
		}
		catch (RuntimeException ex) {
			throw unreadable(name, type.getTypeName(), ex);
		}
	}

	private PayloadException unreadable(String name, String type, Exception cause) {
		PayloadException unreadable = new PayloadException("What step '" + name + "' has saved cannot be read as "
				+ type + "; forget the step to run it again, or restore the type", cause);
		this.owner.unreadable(unreadable);
		return unreadable;
	}

	private void save(String name, byte[] value) {
		save(List.of(saveOf(name, value)));
	}

	private Save saveOf(String name, byte[] value) {
		return savesOf(Map.of(name, value)).get(0);
	}

	private List<Save> savesOf(Map<String, byte[]> news) {
		int many = this.values.size();
		long size = this.size.get();
		List<Save> saves = new ArrayList<>();
		for (Map.Entry<String, byte[]> next : news.entrySet()) {
			String name = next.getKey();
			many += this.values.containsKey(name) ? 0 : 1;
			size += next.getValue().length - lengthOf(this.values.get(name));
			if (many > MOST_NAMES || size > LARGEST_JOB) {
				throw refused(name,
						"a job saves at most %,d values of %d MB in all, and these would be %,d values of %,d bytes"
							.formatted(MOST_NAMES, LARGEST_JOB >> 20, many, size));
			}
			saves.add(new Save(this.claim.job().id(), this.claim.job().name(), this.claim.token(), name,
					next.getValue()));
		}
		return saves;
	}

	private static long lengthOf(byte @Nullable [] value) {
		return (value != null) ? value.length : 0;
	}

	private byte[] written(String name, @Nullable Object value) {
		try {
			return this.serializer.write(value, JobEnd.LARGEST_VALUE);
		}
		catch (PayloadException ex) {
			throw refused(name, ErrorText.of(ex));
		}
	}

	private Unwinding refused(String name, String why) {
		return this.owner
			.unwind(JobResult.discard().message("the value of step '" + name + "' cannot be saved: " + why));
	}

	/**
	 * Save until the store has decided. A save that it refuses for good would be refused
	 * in each attempt, each time after the effect.
	 */
	private void save(List<Save> saves) {
		List<Settled> decided;
		try {
			decided = again(false, () -> {
				List<Settled> reply = this.context.store().save(saves, this.context.clock().now());
				if (reply.contains(Settled.UNDECIDED)) {
					throw new JobStoreException("The part of the store that keeps the job does not answer", null, true);
				}
				return reply;
			});
		}
		catch (JobStoreException ex) {
			throw refused(saves.get(0).name(), ErrorText.of(ex));
		}
		if (decided.stream().anyMatch((settled) -> settled != Settled.APPLIED)) {
			this.owner.lost();
			throw lost();
		}
		saves.forEach((save) -> put(save.name(), save.value()));
	}

	private void put(String name, byte[] value) {
		this.size.addAndGet(value.length - lengthOf(this.values.put(name, value)));
	}

	private LeaseLostException lost() {
		return new LeaseLostException(
				"Job '" + this.claim.job().name() + "' " + this.claim.job().id() + " is no longer held by this run");
	}

	private void requireHeld() {
		if (this.owner.leaseLost()) {
			throw lost();
		}
	}

	/**
	 * Call the store again while it is out of reach, as long as the job is held: no line
	 * of the handler runs before the store has decided. An interruption waits until then,
	 * except that a read is given up when the run is to end.
	 */
	private <T> T again(boolean reading, Supplier<T> call) {
		boolean interrupted = false;
		Duration rest = FIRST_REST;
		try {
			while (true) {
				requireHeld();
				interrupted |= Thread.interrupted();
				try {
					return call.get();
				}
				catch (JobStoreException ex) {
					if (!ex.isTemporary() || (reading && this.owner.cancelled())) {
						throw ex;
					}
					logger.debug("Job {} cannot save or read what it saved; trying again", this.claim.job().id(),
							ErrorText.loggable(ex));
				}
				LockSupport.parkNanos(rest.toNanos());
				rest = (rest.compareTo(LONGEST_REST) < 0) ? rest.multipliedBy(2) : LONGEST_REST;
			}
		}
		finally {
			if (interrupted) {
				Thread.currentThread().interrupt();
			}
		}
	}

	/**
	 * Save the positions that have moved.
	 * @param all whether also those that were saved within the last second
	 */
	void flush(boolean all) {
		synchronized (this.cursors) {
			List<Position<?>> moved = this.cursors.stream().filter((cursor) -> cursor.isDue(all)).toList();
			Map<String, byte[]> positions = new LinkedHashMap<>();
			for (Position<?> cursor : moved) {
				cursor.moved = false;
				positions.put(cursor.name, written(cursor.name, cursor.position));
			}
			try {
				if (!positions.isEmpty()) {
					save(savesOf(positions));
				}
				moved.forEach((cursor) -> cursor.savedNanos = this.context.clock().nanos());
			}
			catch (RuntimeException ex) {
				moved.forEach((cursor) -> cursor.moved = true);
				throw ex;
			}
		}
	}

	/**
	 * The run, as far as what is saved concerns it.
	 */
	interface Owner {

		/**
		 * Return whether another worker may have the job.
		 */
		boolean leaseLost();

		/**
		 * Return whether the run should end.
		 */
		boolean cancelled();

		/**
		 * Return whether no other worker can have the job, unless this run has been told
		 * that it lost it.
		 */
		boolean isSure();

		/**
		 * Note that another worker has the job, since a save was refused.
		 */
		void lost();

		/**
		 * Note that a saved value cannot be read, whatever the handler makes of it.
		 */
		void unreadable(PayloadException cause);

		/**
		 * Return an error by which the run ends with a result.
		 */
		Unwinding unwind(JobResult result);

		/**
		 * Return an error by which the run ends until a thing has ended.
		 */
		Unwinding park(Trail.Wait wait, Instant until);

		/**
		 * Lose the run, and return an error by which it ends.
		 */
		Unwinding kill();

		/**
		 * Return the error by which the run is to end, or {@code null}.
		 */
		@Nullable Unwinding unwinding();

	}

	/**
	 * A cursor.
	 */
	private final class Position<T extends @Nullable Object> implements Cursor<T> {

		private final String name;

		private volatile T position;

		private volatile boolean moved;

		private volatile long savedNanos = SavedValues.this.context.clock().nanos();

		Position(String name, T position) {
			this.name = name;
			this.position = position;
		}

		@Override
		public T get() {
			return this.position;
		}

		@Override
		public void moveTo(T position) {
			this.position = position;
			this.moved = true;
			if (isDue(false)) {
				flush(false);
			}
		}

		boolean isDue(boolean anyTime) {
			return this.moved && (anyTime
					|| SavedValues.this.context.clock().nanos() - this.savedNanos >= BETWEEN_FLUSHES.toNanos());
		}

	}

}
