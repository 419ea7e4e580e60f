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
import java.util.stream.Collectors;
import java.util.stream.Stream;

import dev.jobs.EnqueueUnconfirmedException;
import dev.jobs.Enqueued;
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
import dev.jobs.store.ReplicatedEnqueued;

/**
 * A process under test: an application that works or produces, and notes in its ledger
 * what it does. The lab kills, freezes and stops it; {@code clock} and a number on its
 * input sets the clock of its machine that many milliseconds off. When its input ends, it
 * ends.
 * <p>
 * Arguments are {@code name=value}: its {@code name}, the {@code directory} of the
 * ledgers, its {@code role} (work or produce), the {@code server}, the {@code namespace},
 * the {@code lease} and the {@code beat} in milliseconds, the {@code seed} of a producer,
 * and the {@code bug} planted in a worker.
 */
final class SubjectMain {

	/** The header with the schedule that enqueued a job. */
	private static final String SCHEDULE_HEADER = "jobs.schedule";

	/** The header with the tick for which it did. */
	private static final String TICK_HEADER = "jobs.tick";

	private static final String NO_KEY = "-";

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
		JobStore store = PlantedBug.named(this.arguments.get("bug"))
			.plant(Stores.connect(argument("server"), argument("namespace")));
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
		for (Queues queue : Queues.values()) {
			builder.handler(
					HandlerDefinition.of(queue.title(), LabJob.class, (job, context) -> handle(queue, job, context))
						.with(queue.options()));
		}
		JobEngine engine = builder.build();
		if (argument("role").equals("produce")) {
			this.ledger.note(Entry.Kind.UP);
			produce(engine);
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

	private void produce(JobEngine engine) throws InterruptedException {
		Random random = new Random(Long.parseLong(argument("seed")));
		for (int round = 0;; round++) {
			if (round % 6 == 5) {
				offerMany(engine, random, round);
			}
			else {
				offer(engine, random, Integer.toString(round));
			}
			TimeUnit.MILLISECONDS.sleep(50);
		}
	}

	private void offer(JobEngine engine, Random random, String suffix) {
		Offer offer = Offer.of(Queues.some(random), argument("name") + "-" + suffix, random);
		note(offer);
		try {
			noteReply(offer, engine.client().enqueue(offer.request()));
		}
		catch (EnqueueUnconfirmedException ex) {
			this.ledger.note(Entry.Kind.UNSURE, offer.job().ref());
		}
		catch (JobStoreException ex) {
			this.ledger.note(Entry.Kind.REFUSED, offer.job().ref());
		}
	}

	private void offerMany(JobEngine engine, Random random, int round) {
		List<Offer> offers = new ArrayList<>();
		Queues same = (round % 12 == 11) ? Queues.some(random) : null;
		for (int i = 0; i < 10; i++) {
			offers.add(Offer.of((same != null) ? same : Queues.some(random), argument("name") + "-" + round + "." + i,
					random));
		}
		offers.forEach(this::note);
		try {
			List<Enqueued> replies = engine.client().enqueueAll(offers.stream().map(Offer::request).toList());
			for (int i = 0; i < offers.size(); i++) {
				noteReply(offers.get(i), replies.get(i));
			}
		}
		catch (EnqueueUnconfirmedException ex) {
			offers.forEach((offer) -> this.ledger.note(Entry.Kind.UNSURE, offer.job().ref()));
		}
		catch (JobStoreException ex) {
			offers.forEach((offer) -> this.ledger.note(Entry.Kind.REFUSED, offer.job().ref()));
		}
	}

	private void note(Offer offer) {
		String key = offer.job().key();
		this.ledger.note(Entry.Kind.OFFERED, offer.job().ref(), offer.queue().title(), (key != null) ? key : NO_KEY,
				offer.delay().toMillis());
	}

	private void noteReply(Offer offer, Enqueued reply) {
		boolean taken = !(reply instanceof ReplicatedEnqueued replicated) || replicated.replicas() > 0;
		Entry.Kind kind = switch (reply.outcome()) {
			case NEW -> taken ? Entry.Kind.ACKNOWLEDGED : Entry.Kind.UNSURE;
			default -> Entry.Kind.DUPLICATE;
		};
		this.ledger.note(kind, offer.job().ref(), reply.id());
	}

	/**
	 * A job that a producer enqueues.
	 */
	private record Offer(Queues queue, LabJob job, Duration delay) {

		static Offer of(Queues queue, String ref, Random random) {
			return new Offer(queue, queue.job(ref, random), queue.delay(random));
		}

		JobRequest request() {
			return JobRequest.named(this.queue.title())
				.payload(this.job)
				.options(this.queue.options(this.job.key(), this.delay));
		}

	}

}
