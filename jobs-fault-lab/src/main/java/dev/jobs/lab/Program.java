package dev.jobs.lab;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.UUID;

/**
 * What a job of {@link Queues#ORDERS} does: a random list of operations that its
 * reference alone decides, so whoever knows that can run the program, or say what must
 * come of it. Each operation is known by its number, whatever its place.
 */
final class Program {

	static final int LONGEST = 200;

	/** Stands between the reference of a program and what tells its children apart. */
	private static final char CHILD = '_';

	private static final char COPY = '~';

	private static final List<Kind> KINDS = new ArrayList<>();

	/** From which operation on a program seldom ends a run. */
	private static final int BRISK = 20;

	private static final List<Kind> KINDS_WITHOUT_A_BREAK = List.of(Kind.STEP, Kind.STEP, Kind.TRANSACTIONAL,
			Kind.CURSOR);

	private static final List<Kind> KINDS_OF_CHILDREN = List.of(Kind.STEP, Kind.STEP, Kind.CURSOR, Kind.SLEEP);

	static {
		for (Kind kind : Kind.values()) {
			KINDS.addAll(Collections.nCopies(kind.weight, kind));
		}
	}

	private final String ref;

	private final long seed;

	private final List<Operation> operations = new ArrayList<>();

	private Program(String ref) {
		this.ref = (ref.indexOf(COPY) < 0) ? ref : ref.substring(0, ref.indexOf(COPY));
		this.seed = hash(this.ref);
		SplittableRandom random = new SplittableRandom(this.seed);
		boolean child = this.ref.indexOf(CHILD) >= 0;
		int length = child ? 1 + random.nextInt(3) : length(random);
		boolean shares = false;
		boolean waited = false;
		for (int i = 0; i < length; i++) {
			Kind kind = some(child ? KINDS_OF_CHILDREN : KINDS, random);
			if (i >= BRISK && random.nextInt(8) > 0) {
				kind = some(KINDS_WITHOUT_A_BREAK, random);
			}
			// What it has found must still be so when the signal has come.
			if (waited && random.nextBoolean()) {
				kind = Kind.SLEEP;
			}
			waited = kind == Kind.AWAIT_A_WHILE;
			Sending sending = Sending.values()[random.nextInt((kind == Kind.AWAIT_A_WHILE) ? 4 : 3)];
			boolean shared = !shares && kind.waits() && sending != Sending.BY_THE_JOB && random.nextInt(3) == 0;
			shares |= shared;
			this.operations.add(new Operation(i, kind, random.nextInt(1000), random.nextInt(20) == 0, sending,
					random.nextInt(3) == 0, shared));
		}
	}

	/**
	 * Return the program of a job.
	 * @param ref its reference
	 */
	static Program of(String ref) {
		return new Program(ref);
	}

	/**
	 * Return the reference of a new program.
	 * @param group those of one group share a signal
	 * @param random chooses the program
	 */
	static String newRef(String group, java.util.random.RandomGenerator random) {
		return group + "-" + Long.toHexString(random.nextLong());
	}

	/** Short ones are much likelier. */
	private static int length(SplittableRandom random) {
		int chance = random.nextInt(1000);
		if (chance < 700) {
			return 1 + random.nextInt(3);
		}
		if (chance < 950) {
			return 4 + random.nextInt(7);
		}
		return (chance < 995) ? 11 + random.nextInt(40) : 51 + random.nextInt(LONGEST - 50);
	}

	private static Kind some(List<Kind> kinds, SplittableRandom random) {
		return kinds.get(random.nextInt(kinds.size()));
	}

	private static long hash(String text) {
		return UUID.nameUUIDFromBytes(text.getBytes(StandardCharsets.UTF_8)).getMostSignificantBits();
	}

	String ref() {
		return this.ref;
	}

	/**
	 * Return the operations in the order of their numbers.
	 */
	List<Operation> operations() {
		return this.operations;
	}

	/**
	 * Return the operations as a version of the application does them: another one than
	 * the first has some neighbours in the other order.
	 */
	List<Operation> operations(int version) {
		List<Operation> moved = new ArrayList<>(this.operations);
		for (int i = 1; i < moved.size() && version > 1; i += 2) {
			Collections.swap(moved, i - 1, i);
		}
		return moved;
	}

	/**
	 * Return how many failures a job has at least when an operation that fails first is
	 * to succeed.
	 */
	int failuresUntil(Operation operation) {
		return (int) this.operations.stream()
			.filter((each) -> each.failsFirst() && each.number() <= operation.number())
			.count();
	}

	/**
	 * Return the reference of a job that an operation enqueues.
	 * @param copy tells the copies apart that a repeated step enqueues
	 */
	String child(Operation operation, String copy) {
		return this.ref + CHILD + operation.number() + COPY + copy;
	}

	/**
	 * Return what the signal that an operation waits for is about.
	 */
	String subject(Operation operation) {
		return operation.shared() ? this.ref.substring(0, this.ref.lastIndexOf('-'))
				: this.ref + CHILD + operation.number();
	}

	/**
	 * Return what a step returns, without what tells its effects apart.
	 */
	String value(Operation operation) {
		return Long.toHexString(hash(this.ref + operation.number()));
	}

	/**
	 * Return what must come of the program.
	 * @param outcomes how its waits for signals ended, by the number of the operation
	 */
	String result(Map<Integer, String> outcomes) {
		long result = this.seed;
		for (Operation operation : this.operations) {
			result = add(result, switch (operation.kind()) {
				case STEP, TRANSACTIONAL -> value(operation);
				case CURSOR -> Integer.toString(operation.positions());
				case AWAIT, AWAIT_A_WHILE -> outcomes.getOrDefault(operation.number(), "nothing");
				case CHILD -> of(child(operation, "")).result(Map.of());
				case SLEEP, YIELD -> "";
			});
		}
		return Long.toHexString(result);
	}

	/**
	 * Return what came of the program in a run.
	 * @param values what its operations returned, by their numbers
	 */
	String resultOf(Map<Integer, String> values) {
		long result = this.seed;
		for (String value : values.values()) {
			result = add(result, value);
		}
		return Long.toHexString(result);
	}

	private static long add(long result, String value) {
		return result * 31 + value.hashCode();
	}

	/**
	 * One operation.
	 *
	 * @param number its number, by which it is known
	 * @param kind what it does
	 * @param millis where its times come from
	 * @param failsFirst whether it throws at first, if it is a step
	 * @param sending who sends the signal that it waits for
	 * @param twice whether that is sent twice, with different values
	 * @param shared whether the signal is for all programs of its group
	 */
	record Operation(int number, Kind kind, int millis, boolean failsFirst, Sending sending, boolean twice,
			boolean shared) {

		String name() {
			return Integer.toString(this.number);
		}

		/**
		 * Return how far its cursor goes.
		 */
		int positions() {
			return 1 + this.millis % 5;
		}

		/**
		 * Return how long it sleeps, or waits if it does not wait for good.
		 */
		Duration time() {
			return (this.kind == Kind.SLEEP) ? Duration.ofMillis(10 + this.millis / 5)
					: Duration.ofMillis(20 + this.millis / 2);
		}

		/**
		 * Return how long after the enqueue its signal is sent.
		 */
		Duration sentAfter() {
			return Duration.ofMillis((this.millis * 7) % 1300);
		}

	}

	/**
	 * What operations do.
	 */
	enum Kind {

		/** A step, which perhaps throws first. */
		STEP(38),

		/** A step that is committed together with its mark, where the store is in SQL. */
		TRANSACTIONAL(12),

		/** Move a cursor. */
		CURSOR(12),

		/** Sleep for a moment. */
		SLEEP(7),

		/** Give the job back once. */
		YIELD(7),

		/** Wait for a signal, however long it takes. */
		AWAIT(9),

		/** Wait for a signal, which may not come in time. */
		AWAIT_A_WHILE(9),

		/** Enqueue a job and wait for its result. */
		CHILD(6);

		private final int weight;

		Kind(int weight) {
			this.weight = weight;
		}

		boolean waits() {
			return this == AWAIT || this == AWAIT_A_WHILE;
		}

	}

	/**
	 * Who sends a signal, and when.
	 */
	enum Sending {

		/** The producer, before it enqueues the job. */
		BEFORE,

		/** The producer, after it has enqueued the job. */
		AFTER,

		/** The job itself, before anything else. */
		BY_THE_JOB,

		/** The job itself, once it has found that the time is over. */
		TOO_LATE

	}

}
