package dev.jobs.lab;

import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

import dev.jobs.Cursor;
import dev.jobs.Enqueued;
import dev.jobs.JobClient;
import dev.jobs.JobContext;
import dev.jobs.JobException;
import dev.jobs.JobRequest;
import dev.jobs.JobResult;
import dev.jobs.LeaseLostException;
import dev.jobs.NoResultException;
import dev.jobs.NotInTimeException;
import dev.jobs.Signal;
import dev.jobs.Signal.Sent;
import dev.jobs.lab.Entry.Kind;
import dev.jobs.lab.Program.Operation;
import dev.jobs.lab.Program.Sending;
import dev.jobs.store.ReplicatedEnqueued;
import org.jspecify.annotations.Nullable;

/**
 * Runs the programs of {@link Queues#ORDERS} in a worker, and does for a producer what
 * belongs to them: it sends signals and asks for results.
 */
final class Orders {

	static final Signal<String> SIGNAL = Signal.of("order", String.class);

	/** What a wait returned whose time was over. */
	static final String OVER = "over";

	/** In front of it is what a step or a job returned, behind it who did. */
	static final char BY = '@';

	private static final Duration FOR_GOOD = Duration.ofDays(1);

	private static final Duration AGAIN = Duration.ofMillis(500);

	private final String process;

	private final Ledger ledger;

	private final int version;

	private final @Nullable EffectTable table;

	private final AtomicLong effects = new AtomicLong();

	private final ScheduledExecutorService senders = Executors.newScheduledThreadPool(4);

	private @Nullable JobClient client;

	/**
	 * Create one.
	 * @param process the name of this process
	 * @param ledger its ledger
	 * @param version the version of the application
	 * @param table where transactional steps write, or {@code null} if the store shares
	 * no database with them
	 */
	Orders(String process, Ledger ledger, int version, @Nullable EffectTable table) {
		this.process = process;
		this.ledger = ledger;
		this.version = version;
		this.table = table;
	}

	void use(JobClient client) {
		this.client = client;
	}

	private JobClient client() {
		if (this.client == null) {
			throw new IllegalStateException("The engine is not built");
		}
		return this.client;
	}

	// --- working

	JobResult handle(LabJob job, JobContext context) throws Exception {
		this.ledger.note(Kind.STARTED, job.ref(), context.id(), Queues.ORDERS.title(), "-", context.fencingToken(),
				context.attempt());
		Journal journal = new Journal(context);
		// Whatever ends the run by an error puts the job off.
		String end = "snoozed";
		try {
			Program program = Program.of(job.ref());
			Map<Integer, String> values = new TreeMap<>();
			if (this.version > 1) {
				journal.add("extra", context.step("extra", String.class, () -> effect("extra", "extra", journal)));
			}
			sendByTheJob(program, journal);
			for (Operation operation : program.operations(this.version)) {
				String value = run(operation, program, journal);
				if (value == null) {
					return JobResult.yield();
				}
				values.put(operation.number(), value);
			}
			String result = program.resultOf(values) + BY + context.fencingToken();
			journal.add("result", result);
			end = "done";
			return JobResult.done(result);
		}
		catch (LeaseLostException ex) {
			end = "lost";
			throw ex;
		}
		catch (Exception ex) {
			end = "failed";
			throw ex;
		}
		finally {
			journal.note();
			this.ledger.note(Kind.ENDED, job.ref(), context.id(), context.fencingToken(), end);
		}
	}

	/**
	 * Do an operation.
	 * @return what it counts as in the result, or {@code null} to give the job back
	 */
	private @Nullable String run(Operation operation, Program program, Journal journal) throws Exception {
		JobContext context = journal.context;
		return switch (operation.kind()) {
			case STEP -> before(journal.add(operation.name(), context.step(operation.name(), String.class, () -> {
				if (operation.failsFirst() && context.job().trail().failures() < program.failuresUntil(operation)) {
					throw new Unlucky();
				}
				return effect(operation.name(), program.value(operation), journal);
			})));
			case TRANSACTIONAL -> transactionalStep(operation.name(), program.value(operation), journal);
			case CURSOR -> {
				Cursor<Integer> cursor = context.cursor(operation.name(), Integer.class, 0);
				journal.add("c" + operation.name(), Integer.toString(cursor.get()));
				while (cursor.get() < operation.positions()) {
					cursor.moveTo(cursor.get() + 1);
				}
				yield Integer.toString(cursor.get());
			}
			case SLEEP -> {
				context.sleep(operation.name(), operation.time());
				yield "";
			}
			case YIELD -> {
				Cursor<Boolean> yielded = context.cursor(operation.name(), Boolean.class, false);
				boolean before = yielded.get();
				yielded.moveTo(true);
				yield before ? "" : null;
			}
			case AWAIT -> journal.add(operation.name(), context.await(SIGNAL, program.subject(operation), FOR_GOOD));
			case AWAIT_A_WHILE -> {
				String found = journal.add(operation.name(), await(program.subject(operation), operation, context));
				if (found.equals(OVER) && operation.sending() == Sending.TOO_LATE) {
					context.step("late " + operation.number(), () -> send(program.subject(operation), "late"));
				}
				yield found;
			}
			case CHILD -> child(operation, program, journal);
		};
	}

	private String transactionalStep(String name, String value, Journal journal) {
		EffectTable table = this.table;
		JobContext context = journal.context;
		if (table == null) {
			return before(journal.add(name, context.step(name, String.class, () -> effect(name, value, journal))));
		}
		boolean[] done = new boolean[1];
		String returned = context.transactionalStep(name, String.class, () -> {
			done[0] = true;
			table.add(context.id(), name);
			return value + BY + by();
		});
		if (done[0]) {
			this.ledger.note(Kind.SAVED, context.id(), context.fencingToken(), name);
		}
		return before(journal.add(name, returned));
	}

	/**
	 * Have an effect: a line in the ledger. A process may be killed on either side of it.
	 */
	private String effect(String name, String value, Journal journal) {
		String by = by();
		long pause = (by.hashCode() % 4 == 0) ? Duration.ofMillis(Math.floorMod(by.hashCode(), 16)).toNanos() : 0;
		LockSupport.parkNanos(pause);
		this.ledger.note(Kind.EFFECT, journal.context.id(), journal.context.fencingToken(), name);
		LockSupport.parkNanos(pause);
		return value + BY + by;
	}

	private String by() {
		return this.process + "-" + this.effects.incrementAndGet();
	}

	private static String before(String value) {
		return value.substring(0, value.indexOf(BY));
	}

	private static String await(String subject, Operation operation, JobContext context) {
		try {
			return context.await(SIGNAL, subject, operation.time());
		}
		catch (NotInTimeException ex) {
			return OVER;
		}
	}

	/**
	 * Enqueue a job and wait for its result. Only another server that lacks the job may
	 * not know it.
	 */
	private String child(Operation operation, Program program, Journal journal) {
		JobContext context = journal.context;
		for (int i = 0;; i++) {
			String id = context.step(operation.name() + "-" + i, String.class,
					() -> enqueue(program.child(operation, by())));
			try {
				String result = context.await(id, String.class);
				this.ledger.note(Kind.RESULT, id, result);
				return before(result);
			}
			catch (NoResultException ex) {
				this.ledger.note(Kind.RESULT, id, "none");
			}
		}
	}

	private String enqueue(String ref) {
		this.ledger.note(Kind.OFFERED, ref, Queues.ORDERS.title(), "-", 0);
		Enqueued enqueued = client().enqueue(request(ref));
		this.ledger.note(isSafe(enqueued) ? Kind.ACKNOWLEDGED : Kind.UNSURE, ref, enqueued.id());
		return enqueued.id();
	}

	/**
	 * Return whether a job that was enqueued outlives the server that has it.
	 */
	static boolean isSafe(Enqueued enqueued) {
		return !(enqueued instanceof ReplicatedEnqueued replicated) || replicated.replicas() > 0;
	}

	private static JobRequest request(String ref) {
		return JobRequest.named(Queues.ORDERS.title()).payload(new LabJob(ref, 0, 0, null));
	}

	private void sendByTheJob(Program program, Journal journal) {
		for (Operation operation : program.operations()) {
			if (operation.kind().waits() && operation.sending() == Sending.BY_THE_JOB) {
				journal.context.step("send " + operation.number(), () -> {
					String subject = program.subject(operation);
					send(subject, operation.number() + "a");
					if (operation.twice()) {
						send(subject, operation.number() + "b");
					}
				});
			}
		}
	}

	// --- producing

	/**
	 * Send the signals of a program that is about to be enqueued: some now, some when it
	 * may run already.
	 */
	void send(String ref) {
		Program program = Program.of(ref);
		for (Operation operation : program.operations()) {
			if (!operation.kind().waits() || operation.sending().ordinal() > Sending.AFTER.ordinal()) {
				continue;
			}
			String subject = program.subject(operation);
			String value = ref.substring(ref.lastIndexOf('-') + 1) + operation.number();
			sendLater(subject, value + "a",
					(operation.sending() == Sending.AFTER) ? operation.sentAfter() : Duration.ZERO);
			if (operation.twice()) {
				sendLater(subject, value + "b", operation.sentAfter());
			}
		}
	}

	private void sendLater(String subject, String value, Duration delay) {
		if (!delay.isZero() || !sent(subject, value)) {
			Duration rest = delay.isZero() ? AGAIN : delay;
			this.senders.schedule(() -> sendLater(subject, value, Duration.ZERO), rest.toMillis(),
					TimeUnit.MILLISECONDS);
		}
	}

	private boolean sent(String subject, String value) {
		try {
			send(subject, value);
			return true;
		}
		catch (JobException ex) {
			return false;
		}
	}

	private Sent send(String subject, String value) {
		return send(client(), subject, value, this.ledger);
	}

	/**
	 * Send a signal, and note that and the answer.
	 */
	static Sent send(JobClient client, String subject, String value, Ledger ledger) {
		ledger.note(Kind.SENDING, subject, value);
		String answer = "UNKNOWN";
		try {
			Sent sent = client.send(SIGNAL, subject, value);
			answer = sent.name();
			return sent;
		}
		finally {
			ledger.note(Kind.SENT, subject, value, answer);
		}
	}

	/**
	 * Ask for the result of some jobs.
	 */
	void ask(String id) {
		if (id.hashCode() % 4 == 0) {
			client().completion(id, String.class).whenComplete((result, failure) -> {
				if (result != null) {
					this.ledger.note(Kind.RESULT, id, result);
				}
				else if (failure instanceof NoResultException) {
					this.ledger.note(Kind.RESULT, id, "none");
				}
			});
		}
	}

	/**
	 * What the operations of a run have returned.
	 */
	private final class Journal {

		private final JobContext context;

		private final StringBuilder line = new StringBuilder();

		Journal(JobContext context) {
			this.context = context;
		}

		String add(String name, String value) {
			this.line.append(' ').append(name).append('=').append(value);
			return value;
		}

		void note() {
			if (!this.line.isEmpty()) {
				Orders.this.ledger.note(Kind.VALUES, this.context.id(),
						this.context.fencingToken() + this.line.toString());
			}
		}

	}

	/**
	 * A step that fails. Where does not matter.
	 */
	private static final class Unlucky extends Exception {

		Unlucky() {
			super("bad luck", null, false, false);
		}

	}

}
