package dev.jobs.store.contract.process;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import dev.jobs.EnqueueUnconfirmedException;
import dev.jobs.Enqueued;
import dev.jobs.HandlerOptions;
import dev.jobs.JobContext;
import dev.jobs.JobEvent;
import dev.jobs.JobRequest;
import dev.jobs.JobResult;
import dev.jobs.JobStoreException;
import dev.jobs.RetryPolicy;
import dev.jobs.Unique;
import dev.jobs.cron.Misfire;
import dev.jobs.cron.RecurringJob;
import dev.jobs.cron.Schedule;
import dev.jobs.engine.JobEngine;
import dev.jobs.engine.JobEngineBuilder;
import dev.jobs.engine.MachineClock;
import dev.jobs.engine.settings.EngineSettings;
import dev.jobs.engine.settings.HandlerDefinition;
import dev.jobs.store.ClaimReply;
import dev.jobs.store.JobStore;
import dev.jobs.store.contract.process.ProcessStores.Data;
import dev.jobs.store.Transition;
import dev.jobs.test.FaultWatch;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;

/**
 * An application in a process of its own, so that tests can kill and freeze it. It is
 * controlled by words on its input and reports what happens by lines on its output; when
 * its input ends, it ends.
 * <p>
 * Arguments are {@code name=value}: the {@code server}, of Redis or of JDBC, the
 * {@code namespace} or prefix of the tables, the {@code role} (work, produce, delay, race
 * or pace), the {@code handlers}, the {@code concurrency}, the {@code lease},
 * {@code beat} and {@code poll} in milliseconds (the defaults if not given), the
 * {@code limit} of each handler whose name begins with hold, the {@code schedule} of the
 * handler tick, how many milliseconds the {@code clock} of its machine goes ahead, which
 * the words {@code clock} and a number change, the {@code outbox} to be relayed, which is
 * a URL of JDBC, with the {@code prefix} of its table, the {@code data} that steps write
 * to in transactions, also a URL, and whether it has {@code marks}, the level of the
 * {@code log}, and the {@code gates}: {@code settle} and {@code claim}, which wait until
 * the word of the same name is said.
 * <p>
 * A handler whose name begins with hold waits until that name is said, or as many
 * milliseconds as its name ends with; one whose name begins with fail throws; exit calls
 * System.exit; steps does many of them, with a sleep in their middle; all others do
 * nothing. It reports starts and ends with the counter that all processes of a machine
 * share.
 */
final class JobsMain {

	/** What lines of the protocol begin with; all others are logs. */
	static final String MARK = "> ";

	/** How late a job of the role delay is due. */
	static final Duration DELAY = Duration.ofSeconds(5);

	/** How many keys processes of the role race for. */
	static final int RACES = 300;

	/** How long after the one before each race begins. */
	private static final long BETWEEN_RACES = Duration.ofMillis(5).toNanos();

	/** What a process returns whose handler calls System.exit. */
	static final int EXIT_STATUS = 5;

	/** How many jobs the role pace enqueues, one by one. */
	static final int PACED = 300;

	/** How many steps a job of the handler steps has. */
	static final int STEPS = 20;

	private static final int BULK = 200;

	private static final Pattern HOLD_FOR = Pattern.compile("hold.*-(\\d+)");

	private final ProcessStores stores = ServiceLoader.load(ProcessStores.class).iterator().next();

	private final Map<String, CountDownLatch> words = new ConcurrentHashMap<>();

	private final Map<String, String> arguments;

	private final Set<String> ended = ConcurrentHashMap.newKeySet();

	private volatile @Nullable Data data;

	private volatile long ahead;

	private volatile long raceAt;

	private JobsMain(String[] arguments) {
		this.arguments = Stream.of(arguments)
			.map((argument) -> argument.split("=", 2))
			.collect(Collectors.toMap((parts) -> parts[0], (parts) -> parts[1]));
		this.ahead = Long.parseLong(this.arguments.getOrDefault("clock", "0"));
	}

	public static void main(String[] arguments) throws InterruptedException {
		JobsMain main = new JobsMain(arguments);
		Thread listener = new Thread(main::listen, "words");
		listener.setDaemon(true);
		listener.start();
		main.run();
	}

	private static void report(Object... words) {
		System.out.println(MARK + Stream.of(words).map(String::valueOf).collect(Collectors.joining(" ")));
	}

	private CountDownLatch word(String word) {
		return this.words.computeIfAbsent(word, (key) -> new CountDownLatch(1));
	}

	private void listen() {
		try (BufferedReader reader = new BufferedReader(new InputStreamReader(System.in))) {
			for (String line = reader.readLine(); line != null; line = reader.readLine()) {
				if (line.startsWith("clock ")) {
					this.ahead = Long.parseLong(line.substring(6));
				}
				if (line.startsWith("race ")) {
					this.raceAt = Long.parseLong(line.substring(5));
					word("race").countDown();
				}
				word(line).countDown();
			}
		}
		catch (IOException ex) {
			report("broken", ex);
		}
		Runtime.getRuntime().halt(3);
	}

	private void run() throws InterruptedException {
		if (this.arguments.containsKey("log")) {
			Logger jobs = (Logger) LoggerFactory.getLogger("dev.jobs");
			jobs.setLevel(Level.valueOf(this.arguments.get("log")));
			// What is logged is to be read.
			jobs.setAdditive(true);
		}
		FaultWatch.report((text) -> report("fault", text.replace('\n', ' ')));
		JobEngine engine = engine(gated(this.stores.open(argument("server"), argument("namespace"))));
		if ("produce".equals(this.arguments.get("role"))) {
			produce(engine);
		}
		if ("delay".equals(this.arguments.get("role"))) {
			delay(engine);
		}
		if ("race".equals(this.arguments.get("role"))) {
			race(engine);
		}
		if ("pace".equals(this.arguments.get("role"))) {
			pace(engine);
		}
		Runtime.getRuntime().addShutdownHook(new Thread(() -> {
			engine.closeClient();
			report("stopped", engine.stop(Duration.ofMillis(500)));
		}));
		engine.start();
		engine.startRelay();
		report("up");
		Thread.currentThread().join();
	}

	private void produce(JobEngine engine) {
		while (true) {
			List<JobRequest> requests = IntStream.range(0, BULK)
				.mapToObj((i) -> JobRequest.named("work").payload("x".repeat(i * 5)))
				.toList();
			for (Enqueued enqueued : engine.client().enqueueAll(requests)) {
				report("ack", enqueued.id());
			}
			report("ack", engine.client().enqueue("work", "single").id());
		}
	}

	/**
	 * Enqueue a job, and then one that is not to start before a delay has passed.
	 */
	private static void delay(JobEngine engine) throws InterruptedException {
		enqueueOnceUp(engine);
		long before = System.currentTimeMillis();
		String id = engine.client()
			.enqueue(JobRequest.named("work").payload("later").options((set) -> set.delay(DELAY)))
			.id();
		report("delayed", id, before + DELAY.toMillis());
		Thread.currentThread().join();
	}

	/**
	 * Enqueue a job for each of many keys, each at a moment that another process of this
	 * role chooses too.
	 */
	private void race(JobEngine engine) throws InterruptedException {
		enqueueOnceUp(engine);
		report("up");
		word("race").await();
		for (int i = 0; i < RACES; i++) {
			long begin = this.raceAt + i * BETWEEN_RACES;
			for (long rest = begin - System.nanoTime(); rest > 0; rest = begin - System.nanoTime()) {
				LockSupport.parkNanos(rest);
			}
			Unique unique = Unique.byKey("key-" + i, (rule) -> rule.untilDone());
			Enqueued enqueued = engine.client()
				.enqueue(JobRequest.named("work").payload(i).options((set) -> set.unique(unique)));
			report("raced", i, enqueued.outcome(), enqueued.id());
		}
		Thread.currentThread().join();
	}

	/**
	 * Enqueue a job, and more when the word go is said, with a rest after each. Their
	 * payload is when they were enqueued.
	 */
	private void pace(JobEngine engine) throws InterruptedException {
		engine.client().enqueue("work", System.currentTimeMillis());
		report("up");
		word("go").await();
		for (int i = 0; i < PACED; i++) {
			engine.client().enqueue("work", System.currentTimeMillis());
			new CountDownLatch(1).await(20, TimeUnit.MILLISECONDS);
		}
		Thread.currentThread().join();
	}

	private static void enqueueOnceUp(JobEngine engine) {
		for (boolean up = false; !up;) {
			try {
				engine.client().enqueue("first");
				up = true;
			}
			catch (JobStoreException | EnqueueUnconfirmedException ex) {
				report("not yet", ex);
			}
		}
	}

	private JobEngine engine(JobStore store) {
		EngineSettings settings = EngineSettings.defaults();
		if (this.arguments.containsKey("lease")) {
			settings = settings.withLease(millis("lease"), millis("beat"));
		}
		if (this.arguments.containsKey("poll")) {
			settings = settings.withPoll(millis("poll"));
		}
		InstantSource machine = () -> InstantSource.system().instant().plusMillis(this.ahead);
		JobEngineBuilder builder = MachineClock.set(new JobEngineBuilder(store), machine)
			.settings(settings)
			.concurrency(Integer.parseInt(this.arguments.getOrDefault("concurrency", "10")))
			.listeners(List.of(this::tellOf));
		if (this.arguments.containsKey("outbox")) {
			builder.outbox(this.stores.openOutbox(argument("outbox"), argument("prefix")), Duration.ofMillis(20),
					Duration.ofHours(24));
		}
		if (this.arguments.containsKey("data")) {
			this.data = this.stores.openData(argument("data"), this.arguments.containsKey("marks"));
			this.data.connect(builder);
		}
		if (this.arguments.containsKey("schedule")) {
			builder.recurringJob(RecurringJob.of("each", Schedule.parse(this.arguments.get("schedule")), "tick")
				.withMisfire(Misfire.runAll(1000)));
		}
		int limit = Integer.parseInt(this.arguments.getOrDefault("limit", "0"));
		for (String name : this.arguments.getOrDefault("handlers", "work").split(",")) {
			HandlerDefinition handler = HandlerDefinition.of(name, Object.class,
					(payload, context) -> handle(name, context));
			builder.handler(handler.with(HandlerOptions.of((set) -> {
				set.maxConcurrency(name.startsWith("hold") ? limit : 0);
				if (name.equals("steps")) {
					set.retryPolicy(RetryPolicy.of((retry) -> retry.maxCrashes(1000)));
				}
			})));
		}
		return builder.build();
	}

	private String argument(String name) {
		return Objects.requireNonNull(this.arguments.get(name), name);
	}

	private Duration millis(String name) {
		return Duration.ofMillis(Long.parseLong(this.arguments.get(name)));
	}

	private void tellOf(JobEvent event) {
		if (event instanceof JobEvent.OfJob about) {
			report("event", event.getClass().getSimpleName(), about.job().id());
		}
	}

	private JobResult handle(String handler, JobContext context) {
		report("start", context.id(), handler, context.fencingToken(), System.currentTimeMillis(), System.nanoTime());
		if (handler.startsWith("hold")) {
			try {
				hold(handler);
			}
			catch (InterruptedException ex) {
				report("interrupted", context.id(), context.leaseLost());
			}
		}
		if (handler.endsWith("deadly")) {
			Runtime.getRuntime().halt(4);
		}
		if (handler.equals("exit")) {
			System.exit(EXIT_STATUS);
		}
		if (handler.equals("steps")) {
			doSteps(context);
		}
		if (handler.startsWith("fail")) {
			throw new IllegalStateException("as it should");
		}
		this.ended.add(context.id());
		report("end", context.id(), System.nanoTime());
		return JobResult.done("end of " + context.id());
	}

	private static String effect(String value, @Nullable Data data) {
		report("effect", value);
		if (data != null) {
			data.write(value);
		}
		LockSupport.parkNanos(Duration.ofMillis(3).toNanos());
		return value;
	}

	private void doSteps(JobContext context) {
		for (int i = 0; i < STEPS; i++) {
			String value = context.id() + "-" + i;
			String saved = (this.data != null)
					? context.transactionalStep("step " + i, String.class, () -> effect(value, this.data))
					: context.step("step " + i, String.class, () -> effect(value, null));
			if (!saved.equals(value)) {
				report("wrong", value, saved);
			}
			if (i == STEPS / 2) {
				context.sleep("rest", Duration.ofMillis(20));
			}
		}
	}

	private void hold(String handler) throws InterruptedException {
		Matcher matcher = HOLD_FOR.matcher(handler);
		if (matcher.matches()) {
			word(handler).await(Long.parseLong(matcher.group(1)), TimeUnit.MILLISECONDS);
		}
		else {
			word(handler).await();
		}
	}

	/**
	 * Return the store with gates: in front of a settle of jobs that have ended, not of
	 * those that a slow machine makes the engine give back, and behind a claim that got
	 * something.
	 */
	private JobStore gated(JobStore store) {
		Set<String> gates = Set.of(this.arguments.getOrDefault("gates", "").split(","));
		return (JobStore) Proxy.newProxyInstance(JobStore.class.getClassLoader(), new Class<?>[] { JobStore.class },
				(proxy, method, values) -> {
					boolean settle = method.getName().equals("settle");
					if (settle && gates.contains("settle")) {
						waitWithEnded((List<?>) values[0]);
					}
					Object reply;
					try {
						reply = method.invoke(store, values);
					}
					catch (InvocationTargetException ex) {
						throw ex.getTargetException();
					}
					if (settle) {
						tellOfEnds((List<?>) values[0], (List<?>) reply);
					}
					if (gates.contains("claim") && reply instanceof ClaimReply claimed && !claimed.claims().isEmpty()) {
						report("claimed", claimed.claims().size());
						word("claim").await();
					}
					return reply;
				});
	}

	private void waitWithEnded(List<?> transitions) throws InterruptedException {
		List<String> ids = transitions.stream()
			.map((transition) -> ((Transition) transition).id())
			.filter(this.ended::contains)
			.toList();
		if (!ids.isEmpty()) {
			ids.forEach((id) -> report("settling", id));
			word("settle").await();
		}
	}

	private static void tellOfEnds(List<?> transitions, List<?> settled) {
		for (int i = 0; i < transitions.size(); i++) {
			report("settled", ((Transition) transitions.get(i)).id(), settled.get(i));
		}
	}

}
