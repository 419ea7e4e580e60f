package dev.jobs.lab;

import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.LongStream;
import java.util.stream.Stream;

import dev.jobs.Enqueued;
import dev.jobs.Job;
import dev.jobs.JobClient;
import dev.jobs.JobFilter;
import dev.jobs.JobPage;
import dev.jobs.JobRequest;
import dev.jobs.JobState;
import dev.jobs.PageRequest;
import dev.jobs.Trail;
import dev.jobs.engine.JobEngine;
import dev.jobs.engine.JobEngineBuilder;
import dev.jobs.store.Change;
import dev.jobs.store.JobStore;
import dev.jobs.store.contract.process.ServerClock;
import dev.jobs.store.view.EndView;
import dev.jobs.store.view.QueueView;
import org.jspecify.annotations.Nullable;

/**
 * One run of the lab on one kind of servers: starts them and the processes, injects
 * faults for a while, waits until everything is quiet and checks the ledgers.
 */
final class Trial {

	/**
	 * Short, so that many leases run out; beats are as many for a lease as by default.
	 */
	static final Duration LEASE = Duration.ofSeconds(3);

	private static final Duration BEAT = Duration.ofMillis(600);

	private static final Duration LONG = Duration.ofMinutes(2);

	private static final int WORKERS = 3;

	private static final int VERSIONS = 2;

	/** How soon whatever happened has reached those that wait for it. */
	private static final Duration REACHED = Duration.ofMinutes(1);

	private static final JobFilter PARKED = JobFilter.of((only) -> only.states(JobState.WAITING));

	private static final long[] JUMPS = { 4_000, -4_000, 3_600_000, -3_600_000, 0 };

	/**
	 * How far the clock of the servers jumps. A schedule stands still for as long as the
	 * clock was ahead.
	 */
	private static final Duration[] SERVER_JUMPS = { Duration.ofHours(-1), Duration.ofSeconds(45) };

	private static final String SERVER_CLOCK = "server-clock";

	private final Options options;

	private final Topology topology;

	private final Path directory;

	private final Random random;

	private final Ledger ledger;

	private final @Nullable ServerClock clock;

	private final Servers servers;

	private final Stores stores;

	private final JobStore store;

	private final List<Subject> workers = new CopyOnWriteArrayList<>();

	private final List<Subject> producers = new CopyOnWriteArrayList<>();

	private final Set<String> disturbed = ConcurrentHashMap.newKeySet();

	private final Set<String> paused = ConcurrentHashMap.newKeySet();

	private final ScheduledExecutorService healing = Executors.newSingleThreadScheduledExecutor();

	private final Map<Fault, Integer> counts = new EnumMap<>(Fault.class);

	private final Queue<String> surprises = new ConcurrentLinkedQueue<>();

	/** The server's clock is right, and workers know that since this instant. */
	private volatile long clockMayJump = System.nanoTime();

	private final AtomicInteger launched = new AtomicInteger();

	private final AtomicInteger faults = new AtomicInteger();

	private final AtomicInteger underWay = new AtomicInteger();

	Trial(Options options, Topology topology, Path directory) {
		this.options = options;
		this.topology = topology;
		this.directory = directory;
		this.random = new Random(options.seed());
		this.ledger = new Ledger(directory, "lab");
		this.clock = faults().contains(Fault.JUMP_SERVER_CLOCK) ? new ServerClock(directory) : null;
		this.servers = topology.start(directory.resolve("data"), this.clock);
		this.stores = Stores.connect(this.servers.direct(), this.servers.namespace());
		this.store = this.stores.store();
	}

	/**
	 * Return what may be broken.
	 */
	private Set<Fault> faults() {
		Set<Fault> faults = new TreeSet<>(this.topology.faults());
		faults.retainAll(this.options.only());
		return faults;
	}

	Verdict run() {
		try {
			noteClock();
			String version = this.servers.version();
			List<Subject> first = new ArrayList<>();
			for (int i = 0; i < WORKERS; i++) {
				first.add(start(this.workers, "work"));
			}
			first.add(start(this.producers, "produce"));
			first.forEach(Trial::awaitUp);
			putSchedule();
			if (this.clock != null) {
				// A schedule whose first tick is an hour back has missed that hour.
				Instant begun = Instant.now();
				Patience.await("the first ticks", LONG, () -> hasTickedSince(begun));
			}
			breakThings();
			comeToRest();
			this.ledger.close();
			return new Checker(Ledger.read(this.directory), LEASE).check(this.topology, version, this.counts,
					List.copyOf(this.surprises));
		}
		finally {
			this.healing.shutdownNow();
			this.workers.forEach(Subject::close);
			this.producers.forEach(Subject::close);
			this.servers.close();
		}
	}

	private Subject start(List<Subject> among, String role) {
		String name = role + "-" + this.launched.incrementAndGet();
		List<String> arguments = new ArrayList<>(
				List.of("role=" + role, "lease=" + LEASE.toMillis(), "beat=" + BEAT.toMillis(),
						"seed=" + this.random.nextLong(), "version=" + (1 + this.random.nextInt(VERSIONS))));
		if (this.options.queue() != null) {
			arguments.add("queue=" + this.options.queue());
		}
		if (this.options.bug() != PlantedBug.NONE) {
			arguments.add("bug=" + this.options.bug());
		}
		Subject subject = Subject.start(name, this.directory, this.servers, arguments);
		among.add(subject);
		return subject;
	}

	private static void awaitUp(Subject subject) {
		Patience.await(subject.name(), LONG, subject::isUp);
	}

	/**
	 * Put a schedule at run time, beside the one that the workers declare.
	 */
	private void putSchedule() {
		new JobEngineBuilder(this.store).build()
			.operations()
			.schedule("put")
			.put((schedule) -> schedule.cron("* * * * * *")
				.job(Queues.TICKS.title(), new LabJob("tick", 5, 0, null))
				.misfire("run-all:1000"));
	}

	private void noteClock() {
		this.ledger.note(Entry.Kind.CLOCK, System.currentTimeMillis());
	}

	// --- breaking

	private void breakThings() {
		List<Fault> bag = new ArrayList<>();
		faults().forEach((fault) -> {
			for (int i = 0; i < fault.weight(); i++) {
				bag.add(fault);
			}
		});
		List<Fault> kinds = new ArrayList<>(new TreeSet<>(bag));
		Collections.shuffle(kinds, this.random);
		Queue<Fault> missing = new ArrayDeque<>(kinds);
		long end = System.nanoTime() + this.options.duration().toNanos();
		while ((this.options.count() > 0) ? this.faults.get() < this.options.count() : System.nanoTime() - end < 0) {
			long pause = this.options.pause().toMillis();
			rest(Duration.ofMillis(pause / 2 + this.random.nextLong(pause)));
			// Each kind once, then by weight.
			Fault fault = missing.isEmpty() ? bag.get(this.random.nextInt(bag.size())) : missing.remove();
			try {
				inject(fault);
			}
			catch (RuntimeException ex) {
				this.surprises.add("The lab could not inject " + Options.titleOf(fault) + ": " + ex);
			}
			if (!this.counts.containsKey(fault)) {
				missing.add(fault);
			}
		}
	}

	private static void rest(Duration duration) {
		LockSupport.parkNanos(duration.toNanos());
	}

	private void inject(Fault fault) {
		switch (fault) {
			case KILL_WORKER -> replace(fault, this.workers, "work", false);
			case STOP_WORKER -> replace(fault, this.workers, "work", true);
			case KILL_PRODUCER -> replace(fault, this.producers, "produce", false);
			case FREEZE_WORKER -> disturb(fault, this.workers, Subject::freeze, Subject::thaw);
			case CUT_CONNECTIONS -> disturb(fault, all(), (subject) -> subject.network().cut(), (subject) -> {
			});
			case STALL_CONNECTIONS ->
				disturb(fault, all(), (subject) -> subject.network().stall(), (subject) -> subject.network().heal());
			case REFUSE_CONNECTIONS ->
				disturb(fault, all(), (subject) -> subject.network().refuse(), (subject) -> subject.network().heal());
			case JUMP_CLOCK -> disturb(fault, all(), this::jump, (subject) -> {
			});
			case JUMP_SERVER_CLOCK -> {
				// Shorter ones would come between two beats, where little is promised.
				if (System.nanoTime() - this.clockMayJump >= 0 && this.disturbed.add(SERVER_CLOCK)) {
					Duration ahead = SERVER_JUMPS[this.random.nextInt(SERVER_JUMPS.length)];
					lasting(fault, SERVER_CLOCK, longTime(), () -> setServerClock(ahead), () -> {
						setServerClock(Duration.ZERO);
						this.clockMayJump = System.nanoTime() + LEASE.toNanos();
					});
				}
			}
			case PAUSE_QUEUE -> {
				String queue = someQueue().title();
				if (this.paused.add(queue)) {
					lasting(fault, queue, someTime(), () -> pause(queue), () -> {
						resume(queue);
						this.paused.remove(queue);
					});
				}
			}
			case EDIT_LIMIT -> {
				int limit = 1 + this.random.nextInt(5);
				String queue = Queues.LIMITED.title();
				this.ledger.note(Entry.Kind.LIMIT, queue, limit);
				brief(fault, queue, () -> change(new Change.Limit(queue, limit)));
			}
			case FAIL_OVER, KILL_MASTER -> breakServer(fault, Duration.ZERO);
			case FREEZE_SERVER, RESTART_SERVER -> breakServer(fault, someTime());
			case DROP_CONNECTIONS, FORGET_SCRIPTS -> brief(fault, "server", () -> this.servers.inject(fault));
		}
	}

	private void breakServer(Fault fault, Duration time) {
		boolean takesOver = this.topology.takesOver(fault);
		if (takesOver) {
			this.ledger.note(Entry.Kind.FAILING_OVER);
		}
		brief(fault, "server", () -> {
			this.servers.inject(fault);
			rest(time);
			this.servers.heal(fault);
		});
		if (takesOver) {
			this.ledger.note(Entry.Kind.FAILED_OVER);
			// As an operator would, since the other server may lack a resumption.
			Stream.of(Queues.values())
				.map(Queues::title)
				.filter((queue) -> !this.paused.contains(queue))
				.forEach(this::resume);
		}
	}

	private void pause(String queue) {
		change(new Change.Pause(queue));
		this.ledger.note(Entry.Kind.PAUSED, queue);
	}

	private void resume(String queue) {
		this.ledger.note(Entry.Kind.RESUMING, queue);
		change(new Change.Resume(queue));
	}

	private void jump(Subject subject) {
		long[] others = LongStream.of(JUMPS).filter((jump) -> jump != subject.clock()).toArray();
		subject.setClock(others[this.random.nextInt(others.length)]);
	}

	private void setServerClock(Duration ahead) {
		this.ledger.note(Entry.Kind.SETTING_SERVER_CLOCK, ahead.toMillis());
		Objects.requireNonNull(this.clock).setAhead(ahead);
		this.ledger.note(Entry.Kind.SERVER_CLOCK_SET);
	}

	private List<Subject> all() {
		List<Subject> all = new ArrayList<>(this.workers);
		all.addAll(this.producers);
		return all;
	}

	private Queues someQueue() {
		return Queues.values()[this.random.nextInt(Queues.values().length)];
	}

	/**
	 * Return a time that leases outlive, or in one of two cases one that they do not.
	 */
	private Duration someTime() {
		long lease = LEASE.toMillis();
		boolean isShort = this.random.nextBoolean();
		return isShort ? Duration.ofMillis(50 + this.random.nextLong(lease / 2)) : longTime();
	}

	private Duration longTime() {
		return LEASE.plusMillis(this.random.nextLong(LEASE.toMillis()));
	}

	private int begin(Fault fault, String target) {
		noteClock();
		int number = this.faults.incrementAndGet();
		this.counts.merge(fault, 1, Integer::sum);
		this.ledger.note(Entry.Kind.FAULT, number, fault, target);
		return number;
	}

	private void brief(Fault fault, String target, Runnable action) {
		int number = begin(fault, target);
		action.run();
		this.ledger.note(Entry.Kind.HEALED, number);
	}

	private void lasting(Fault fault, String target, Duration time, Runnable action, Runnable undo) {
		int number = begin(fault, target);
		action.run();
		this.underWay.incrementAndGet();
		this.healing.schedule(() -> {
			try {
				undo.run();
			}
			catch (RuntimeException ex) {
				this.surprises.add("The lab could not heal " + Options.titleOf(fault) + ": " + ex);
			}
			finally {
				this.ledger.note(Entry.Kind.HEALED, number);
				this.disturbed.remove(target);
				this.underWay.decrementAndGet();
			}
		}, time.toMillis(), TimeUnit.MILLISECONDS);
	}

	/**
	 * Break something of a process that nothing is broken of, if there is one.
	 */
	private void disturb(Fault fault, List<Subject> among, Act act, Act undo) {
		Subject subject = someQuiet(among);
		if (subject != null) {
			this.disturbed.add(subject.name());
			lasting(fault, subject.name(), someTime(), () -> act.on(subject), () -> {
				if (subject.isAlive()) {
					undo.on(subject);
				}
			});
		}
	}

	private @Nullable Subject someQuiet(List<Subject> among) {
		List<Subject> quiet = among.stream().filter((subject) -> !this.disturbed.contains(subject.name())).toList();
		return quiet.isEmpty() ? null : quiet.get(this.random.nextInt(quiet.size()));
	}

	private void replace(Fault fault, List<Subject> among, String role, boolean kindly) {
		Subject subject = someQuiet(among);
		if (subject == null) {
			return;
		}
		brief(fault, subject.name(), () -> {
			this.ledger.note(kindly ? Entry.Kind.STOPPING : Entry.Kind.KILLING, subject.name());
			if (!kindly) {
				subject.kill();
			}
			else if (!subject.stop()) {
				this.surprises.add(subject.name() + " did not end within 30 s after it was asked to");
			}
			among.remove(subject);
			awaitUp(start(among, role));
		});
	}

	private void change(Change change) {
		Patience.await(change.toString(), LONG, () -> {
			this.store.change(List.of(change), Instant.now());
			return true;
		});
	}

	// --- rest

	/**
	 * Break nothing more, let the workers do what is left, and check what remains.
	 */
	private void comeToRest() {
		Patience.await("the end of all faults", LONG, () -> this.underWay.get() == 0);
		noteClock();
		this.ledger.note(Entry.Kind.CALM);
		Instant calm = latestOf(Instant.now());
		for (Subject producer : this.producers) {
			this.ledger.note(Entry.Kind.KILLING, producer.name());
			producer.kill();
		}
		// A planted bug may leave jobs for good.
		Duration patience = (this.options.bug() == PlantedBug.NONE) ? LONG : LEASE.multipliedBy(5);
		Signalling signalling = new Signalling();
		try {
			AtomicLong left = new AtomicLong(Long.MAX_VALUE);
			while (left.get() > 0) {
				long before = left.get();
				Patience.await("fewer jobs", patience, () -> {
					signalling.sendMissing();
					left.set(leftJobs());
					return left.get() < before;
				});
			}
		}
		catch (IllegalStateException ex) {
			this.surprises.add("Jobs are left although nothing is broken any more: " + left());
		}
		try {
			Patience.await("ticks", patience, () -> hasTickedSince(calm));
		}
		catch (IllegalStateException ex) {
			this.surprises.add("A schedule does not tick on although nothing is broken any more: "
					+ this.store.inspector().schedules());
		}
		for (Subject worker : this.workers) {
			this.ledger.note(Entry.Kind.STOPPING, worker.name());
			if (!worker.stop()) {
				this.surprises.add(worker.name() + " did not end within 30 s although nothing was broken");
			}
		}
		lookAtTheStore();
		if (this.stores.database() != null) {
			new EffectTable(this.stores.database()).rows()
				.forEach((step, rows) -> this.ledger.note(Entry.Kind.ROWS, step, rows));
		}
		Logs.faults(this.directory).forEach((fault) -> this.surprises.add("A fault was logged: " + fault));
	}

	/**
	 * Return an instant, or the latest tick that was fired if the clock was ahead.
	 */
	private Instant latestOf(Instant instant) {
		Instant[] latest = { instant };
		Patience.await("schedules", LONG, () -> {
			this.store.inspector()
				.schedules()
				.stream()
				.map((schedule) -> schedule.latest().plusMillis(1))
				.filter((tick) -> tick.isAfter(latest[0]))
				.forEach((tick) -> latest[0] = tick);
			return true;
		});
		return latest[0];
	}

	private List<QueueView> left() {
		return notEmpty().filter((queue) -> !queue.name().equals(Queues.TICKS.title())).toList();
	}

	private long leftJobs() {
		return left().stream().mapToLong(Trial::jobs).sum();
	}

	private static long jobs(QueueView queue) {
		return queue.ready() + queue.scheduled() + queue.parked() + queue.running() + queue.dead();
	}

	/**
	 * Return whether both schedules have ticked since then, and the jobs of all ticks
	 * have run.
	 */
	private boolean hasTickedSince(Instant instant) {
		return this.store.inspector()
			.schedules()
			.stream()
			.filter((schedule) -> !schedule.latest().isBefore(instant))
			.count() == 2 && notEmpty().noneMatch((queue) -> queue.name().equals(Queues.TICKS.title()));
	}

	private Stream<QueueView> notEmpty() {
		return this.store.inspector().queues(Instant.now()).stream().filter((queue) -> jobs(queue) > 0);
	}

	private void lookAtTheStore() {
		if (!this.store.inspector().workers(Instant.now()).isEmpty()) {
			this.surprises.add(
					"Workers are registered although all have ended: " + this.store.inspector().workers(Instant.now()));
		}
		this.store.inspector()
			.queues(Instant.now())
			.stream()
			.filter((queue) -> queue.running() > 0)
			.forEach((queue) -> this.surprises.add("Jobs run although no worker does: " + queue));
		JobEngine client = new JobEngineBuilder(this.store).build();
		Set<String> ids = new HashSet<>();
		for (int i = 0; i < Queues.KEYS; i++) {
			String key = "key-" + i;
			Enqueued enqueued = client.client()
				.enqueue(JobRequest.named(Queues.KEYED.title())
					.payload(new LabJob("last", 0, 0, key))
					.options(Queues.KEYED.options(key, Duration.ofHours(1))));
			if (enqueued.outcome() != Enqueued.Outcome.NEW) {
				this.surprises.add("The unique key '" + key + "' is held although no job has it: " + enqueued);
			}
			ids.add(enqueued.id());
		}
		ids.forEach((id) -> client.operations().job(id).delete());
	}

	/**
	 * Sends the signals that are missing, once all who may have wanted to send them are
	 * killed, and looks whether somebody waits for what has happened.
	 */
	private final class Signalling {

		private final JobClient client = new JobEngineBuilder(Trial.this.store).build().client();

		/** What signals were sent about, as far as no server can have lost them. */
		private final Set<String> sent = new HashSet<>();

		private final long reached = System.nanoTime() + REACHED.toNanos();

		private long next = System.nanoTime();

		/** Those that waited for something that had happened, and since when they do. */
		private Map<String, Trail.Wait> inVain = Map.of();

		Signalling() {
			for (Entry entry : Ledger.read(Trial.this.directory)) {
				if (entry.kind() == Entry.Kind.FAILED_OVER) {
					this.sent.clear();
				}
				else if (entry.kind() == Entry.Kind.SENT && !entry.word(2).equals("UNKNOWN")) {
					this.sent.add(entry.word(0));
				}
			}
		}

		void sendMissing() {
			if (System.nanoTime() - this.next < 0) {
				return;
			}
			Map<String, Trail.Wait> waits = waits();
			for (Trail.Wait wait : waits.values()) {
				String subject = wait.thing().substring(wait.thing().indexOf('/') + 1);
				if (wait.thing().startsWith(Trail.Wait.SIGNAL) && !this.sent.contains(subject)) {
					Orders.send(this.client, subject, "late", Trial.this.ledger);
					this.sent.add(subject);
				}
			}
			this.next = System.nanoTime() + Duration.ofMillis(500).toNanos();
			if (System.nanoTime() - this.reached > 0) {
				waits.values().removeIf((wait) -> !hasHappened(wait.thing()));
				waits.forEach((job, wait) -> {
					if (wait.equals(this.inVain.get(job))) {
						Trial.this.surprises.add("Job " + job + " waits since " + wait.since() + " for " + wait.thing()
								+ ", which has happened");
					}
				});
				this.inVain = waits;
			}
		}

		private Map<String, Trail.Wait> waits() {
			Map<String, Trail.Wait> waits = new TreeMap<>();
			PageRequest request = PageRequest.oldestFirst(PageRequest.LARGEST);
			for (String next = ""; next != null;) {
				JobPage page = Trial.this.store.inspector()
					.page(PARKED, next.isEmpty() ? request : request.after(next), Instant.now());
				for (Job job : page.jobs()) {
					Trail.Wait wait = job.trail().waitsFor();
					if (wait != null) {
						waits.put(job.id(), wait);
					}
				}
				next = page.next();
			}
			return waits;
		}

		private boolean hasHappened(String thing) {
			EndView end = Trial.this.store.inspector().ends(List.of(thing), Instant.now()).get(thing);
			return end != null && (end.state() == JobState.SUCCEEDED || end.state() == JobState.DEAD);
		}

	}

	/**
	 * Does something to a process.
	 */
	@FunctionalInterface
	private interface Act {

		void on(Subject subject);

	}

}
