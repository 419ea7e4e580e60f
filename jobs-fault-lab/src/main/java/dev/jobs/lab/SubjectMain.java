package dev.jobs.lab;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import dev.jobs.EnqueueUnconfirmedException;
import dev.jobs.Enqueued;
import dev.jobs.Handler;
import dev.jobs.JobClient;
import dev.jobs.JobContext;
import dev.jobs.JobRequest;
import dev.jobs.JobResult;
import dev.jobs.JobStoreException;
import dev.jobs.Trail;
import dev.jobs.cron.Misfire;
import dev.jobs.cron.RecurringJob;
import dev.jobs.cron.Schedule;
import dev.jobs.engine.JobEngine;
import dev.jobs.engine.JobEngineBuilder;
import dev.jobs.engine.MachineClock;
import dev.jobs.engine.settings.EngineSettings;
import dev.jobs.engine.settings.HandlerDefinition;
import dev.jobs.store.JobStore;
import org.jspecify.annotations.Nullable;

/**
 * A process under test: an application that works or produces, and notes in its ledger
 * what it does. The lab kills, freezes and stops it; {@code clock} and a number on its
 * input sets the clock of its machine that many milliseconds off. When its input ends, it
 * ends.
 * <p>
 * Arguments are {@code name=value}: its {@code name}, the {@code directory} of the
 * ledgers, its {@code role} (work or produce), the {@code server}, the {@code namespace},
 * the {@code lease} and the {@code beat} in milliseconds, the {@code version} of the
 * programs, the {@code seed} of a producer and the {@code queue} if it fills only one,
 * and the planted {@code bug}.
 */
final class SubjectMain {

	/** The header with the schedule that enqueued a job. */
	private static final String SCHEDULE_HEADER = "jobs.schedule";

	/** The header with the tick for which it did. */
	private static final String TICK_HEADER = "jobs.tick";

	private static final String NO_KEY = "-";

	/** How many threads fill a queue if nothing else is filled. */
	private static final int PRODUCERS = 3;

	/** How many rounds each of them may make. */
	private static final int ROUNDS = 10_000_000;

	/** How many jobs each of them enqueues at once. */
	private static final int AT_ONCE = 40;

	/** How many jobs that wait for a worker are enough. */
	private static final int MOST_READY = 400;

	/** How many jobs that wait for something are enough. */
	private static final int MOST_PARKED = 2000;

	private final Map<String, String> arguments;

	private final Ledger ledger;

	private volatile Duration clockOffset = Duration.ZERO;

	private SubjectMain(String[] arguments) {
		this.arguments = Stream.of(arguments)
			.map((argument) -> argument.split("=", 2))
			.collect(Collectors.toMap((parts) -> parts[0], (parts) -> parts[1]));
		this.ledger = new Ledger(Path.of(argument("directory")), argument("name"));
	}

	/**
	 * Run the process.
	 * @param arguments its arguments
	 */
	public static void main(String[] arguments) throws InterruptedException {
		SubjectMain subject = new SubjectMain(arguments);
		Thread listener = new Thread(subject::listen, "words");
		listener.setDaemon(true);
		listener.start();
		subject.run();
	}

	private String argument(String name) {
		String value = this.arguments.get(name);
		if (value == null) {
			throw new IllegalArgumentException("'" + name + "' is missing");
		}
		return value;
	}

	private void listen() {
		try (BufferedReader reader = new BufferedReader(new InputStreamReader(System.in))) {
			for (String line = reader.readLine(); line != null; line = reader.readLine()) {
				String[] words = line.split(" ");
				if (words[0].equals("clock")) {
					this.clockOffset = Duration.ofMillis(Long.parseLong(words[1]));
				}
			}
		}
		catch (IOException ex) {
			ex.printStackTrace();
		}
		Runtime.getRuntime().halt(3);
	}

	private void run() throws InterruptedException {
		Stores stores = Stores.connect(argument("server"), argument("namespace"));
		JobStore store = PlantedBug.named(this.arguments.get("bug")).plant(stores.store());
		EffectTable table = (stores.database() != null) ? new EffectTable(stores.database()) : null;
		Orders orders = new Orders(argument("name"), this.ledger,
				Integer.parseInt(this.arguments.getOrDefault("version", "1")), table);
		InstantSource machine = () -> Instant.now().plus(this.clockOffset);
		JobEngineBuilder builder = MachineClock
			.set(new JobEngineBuilder(NotingStore.around(store, this.ledger)), machine)
			.settings(EngineSettings.defaults()
				.withLease(millis("lease"), millis("beat"))
				.withPoll(Duration.ofMillis(500)))
			.concurrency(24)
			.recurringJob(RecurringJob.of("every-second", Schedule.parse("* * * * * *"), Queues.TICKS.title())
				.withPayload(new LabJob("tick", 5, 0, null))
				.withMisfire(Misfire.runAll(1000)));
		if (table != null) {
			builder.handlerTransactions(table);
		}
		for (Queues queue : Queues.values()) {
			Handler<LabJob> handler = (queue == Queues.ORDERS) ? orders::handle
					: (job, context) -> handle(queue, job, context);
			builder.handler(HandlerDefinition.of(queue.title(), LabJob.class, handler).with(queue.options()));
		}
		JobEngine engine = builder.build();
		orders.use(engine.client());
		if (argument("role").equals("produce")) {
			this.ledger.note(Entry.Kind.UP);
			produce(engine.client(), orders, store);
		}
		Runtime.getRuntime().addShutdownHook(new Thread(() -> {
			engine.closeClient();
			engine.stop(Duration.ofMillis(500));
		}));
		engine.start();
		this.ledger.note(Entry.Kind.UP);
		Thread.currentThread().join();
	}

	private Duration millis(String name) {
		return Duration.ofMillis(Long.parseLong(argument(name)));
	}

	// --- working

	private JobResult handle(Queues queue, LabJob job, JobContext context) {
		String ref = (queue == Queues.TICKS) ? tick(context) : job.ref();
		String key = (queue == Queues.TICKS || job.key() == null) ? NO_KEY : job.key();
		this.ledger.note(Entry.Kind.STARTED, ref, context.id(), queue.title(), key, context.fencingToken(),
				context.job().attempt());
		String end = "interrupted";
		try {
			TimeUnit.MILLISECONDS.sleep((queue == Queues.TICKS) ? 5 : job.millis());
			end = end(queue, job, context.job().trail());
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
		this.ledger.note(Entry.Kind.ENDED, ref, context.id(), context.fencingToken(), end);
		return switch (end) {
			case "done" -> JobResult.done();
			case "snoozed" -> JobResult.snooze(Duration.ofMillis(200));
			default -> JobResult.retryIn(Duration.ofMillis(200)).message(end);
		};
	}

	private static String end(Queues queue, LabJob job, Trail trail) {
		if (trail.failures() + trail.postponements() >= job.failures()) {
			return "done";
		}
		return (queue == Queues.ORDERED && trail.postponements() == 0) ? "snoozed" : "failed";
	}

	private static String tick(JobContext context) {
		Map<String, String> headers = context.job().headers();
		return headers.get(SCHEDULE_HEADER) + "-"
				+ Instant.parse(headers.getOrDefault(TICK_HEADER, "")).getEpochSecond();
	}

	// --- producing

	private void produce(JobClient client, Orders orders, JobStore store) throws InterruptedException {
		Random random = new Random(Long.parseLong(argument("seed")));
		if (this.arguments.containsKey("queue")) {
			Queues only = Queues.titled(argument("queue"));
			for (int i = 1; i < PRODUCERS; i++) {
				int first = i * ROUNDS;
				Random another = new Random(random.nextLong());
				new Thread(() -> fill(only, client, orders, store, another, first), "produce-" + i).start();
			}
			fill(only, client, orders, store, random, 0);
		}
		for (int round = 0;; round++) {
			if (round % 6 == 5) {
				offerAll(client, orders, offers((round % 12 == 11) ? Queues.some(random) : null, 10, random, round));
			}
			else {
				offer(client, orders, Offer.of(Queues.some(random), argument("name"), round, "", random));
			}
			TimeUnit.MILLISECONDS.sleep(50);
		}
	}

	/**
	 * Fill one queue as fast as it is emptied.
	 */
	private void fill(Queues queue, JobClient client, Orders orders, JobStore store, Random random, int first) {
		for (int round = first;; round++) {
			offerAll(client, orders, offers(queue, AT_ONCE, random, round));
			while (!hasRoom(store, queue.title())) {
				LockSupport.parkNanos(Duration.ofMillis(50).toNanos());
			}
		}
	}

	/**
	 * Return whether the workers want more.
	 */
	private static boolean hasRoom(JobStore store, String queue) {
		try {
			return store.inspector()
				.queue(queue, Instant.now())
				.filter((view) -> view.ready() > MOST_READY || view.parked() > MOST_PARKED)
				.isEmpty();
		}
		catch (JobStoreException ex) {
			return false;
		}
	}

	private List<Offer> offers(@Nullable Queues same, int count, Random random, int round) {
		return IntStream.range(0, count)
			.mapToObj((i) -> Offer.of((same != null) ? same : Queues.some(random), argument("name"), round, "." + i,
					random))
			.toList();
	}

	private void offer(JobClient client, Orders orders, Offer offer) {
		note(offer, orders);
		try {
			noteReply(offer, client.enqueue(offer.request()), orders);
		}
		catch (EnqueueUnconfirmedException ex) {
			this.ledger.note(Entry.Kind.UNSURE, offer.job().ref());
		}
		catch (JobStoreException ex) {
			this.ledger.note(Entry.Kind.REFUSED, offer.job().ref());
		}
	}

	private void offerAll(JobClient client, Orders orders, List<Offer> offers) {
		offers.forEach((offer) -> note(offer, orders));
		try {
			List<Enqueued> replies = client.enqueueAll(offers.stream().map(Offer::request).toList());
			for (int i = 0; i < offers.size(); i++) {
				noteReply(offers.get(i), replies.get(i), orders);
			}
		}
		catch (EnqueueUnconfirmedException ex) {
			offers.forEach((offer) -> this.ledger.note(Entry.Kind.UNSURE, offer.job().ref()));
		}
		catch (JobStoreException ex) {
			offers.forEach((offer) -> this.ledger.note(Entry.Kind.REFUSED, offer.job().ref()));
		}
	}

	private void note(Offer offer, Orders orders) {
		String key = offer.job().key();
		this.ledger.note(Entry.Kind.OFFERED, offer.job().ref(), offer.queue().title(), (key != null) ? key : NO_KEY,
				offer.delay().toMillis());
		if (offer.queue() == Queues.ORDERS) {
			orders.send(offer.job().ref());
		}
	}

	private void noteReply(Offer offer, Enqueued reply, Orders orders) {
		Entry.Kind kind = switch (reply.outcome()) {
			case NEW -> Orders.isSafe(reply) ? Entry.Kind.ACKNOWLEDGED : Entry.Kind.UNSURE;
			default -> Entry.Kind.DUPLICATE;
		};
		this.ledger.note(kind, offer.job().ref(), reply.id());
		if (offer.queue() == Queues.ORDERS) {
			orders.ask(reply.id());
		}
	}

	/**
	 * A job that a producer enqueues.
	 */
	private record Offer(Queues queue, LabJob job, Duration delay) {

		static Offer of(Queues queue, String process, int round, String suffix, Random random) {
			String ref = (queue == Queues.ORDERS) ? Program.newRef(process + "-" + round / 8, random)
					: process + "-" + round + suffix;
			return new Offer(queue, queue.job(ref, random), queue.delay(random));
		}

		JobRequest request() {
			return JobRequest.named(this.queue.title())
				.payload(this.job)
				.options(this.queue.options(this.job.key(), this.delay));
		}

	}

}
