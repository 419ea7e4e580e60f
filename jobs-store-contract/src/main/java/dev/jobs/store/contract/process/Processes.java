package dev.jobs.store.contract.process;

import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;

import dev.jobs.Enqueued;
import dev.jobs.JobRequest;
import dev.jobs.JobStoreException;
import dev.jobs.engine.JobEngine;
import dev.jobs.engine.JobEngineBuilder;
import dev.jobs.store.JobStore;
import dev.jobs.store.view.QueueView;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Processes on one store, beside the process of the test, which enqueues and looks.
 */
public abstract class Processes {

	/** How long something is waited for that comes sooner or later. */
	static final Duration PATIENCE = Duration.ofSeconds(180);

	private final List<JobsProcess> processes = new ArrayList<>();

	@TempDir
	@SuppressWarnings("NullAway.Init")
	private Path directory;

	@SuppressWarnings("NullAway.Init")
	private JobEngine producer;

	/**
	 * Return the store that the processes work on.
	 */
	protected abstract JobStore store();

	/**
	 * Return the arguments by which processes find the store.
	 */
	protected abstract List<String> place();

	/**
	 * Clean up after all processes have ended.
	 */
	protected abstract void close();

	@BeforeEach
	void createProducer() {
		this.producer = new JobEngineBuilder(store()).build();
		// The first connection may take long while the processes of other tests start.
		Awaitility.await()
			.atMost(PATIENCE)
			.ignoreExceptionsInstanceOf(JobStoreException.class)
			.until(() -> store().inspector().queues(Instant.now()), Objects::nonNull);
	}

	@AfterEach
	void endAll() {
		this.processes.forEach(JobsProcess::close);
		close();
	}

	final List<JobsProcess> processes() {
		return this.processes;
	}

	/**
	 * Return an engine of this process, which runs nothing.
	 */
	final JobEngine producer() {
		return this.producer;
	}

	final JobsProcess launch(String... arguments) {
		JobsProcess process = JobsProcess.start(this.directory,
				Stream.concat(place().stream(), Stream.of(arguments)).toArray(String[]::new));
		this.processes.add(process);
		return process;
	}

	/**
	 * Launch some equal processes and wait until they are up.
	 */
	final List<JobsProcess> launchAll(int count, String... arguments) {
		List<JobsProcess> all = IntStream.range(0, count).mapToObj((i) -> launch(arguments)).toList();
		all.forEach((process) -> process.await("up"));
		return all;
	}

	final String enqueue(String name) {
		return Awaitility.await()
			.atMost(PATIENCE)
			.pollInterval(Duration.ofMillis(50))
			.ignoreExceptionsInstanceOf(JobStoreException.class)
			.until(() -> this.producer.client().enqueue(JobRequest.named(name).payload("payload")).id(),
					Objects::nonNull);
	}

	/**
	 * Enqueue some jobs, none of which may be refused.
	 * @return their ids
	 */
	final List<String> enqueue(String name, int count) {
		List<Enqueued> enqueued = this.producer.client()
			.enqueueAll(IntStream.range(0, count).mapToObj((i) -> JobRequest.named(name).payload(i)).toList());
		assertThat(enqueued).allMatch(Enqueued::isNew);
		return enqueued.stream().map(Enqueued::id).toList();
	}

	/**
	 * Return the starts that all processes have written so far.
	 */
	final List<Start> starts() {
		return this.processes.stream().flatMap((process) -> starts(process).stream()).toList();
	}

	final List<Start> starts(JobsProcess process) {
		return process.reported("start").stream().map(Start::parse).toList();
	}

	final List<Start> starts(JobsProcess process, String handler) {
		return starts(process).stream().filter((start) -> start.handler().equals(handler)).toList();
	}

	/**
	 * Return the ids of the jobs that were started, one for each start.
	 */
	final List<String> started() {
		return starts().stream().map(Start::id).toList();
	}

	final List<Start> ticks() {
		return starts().stream().filter((start) -> start.handler().equals("tick")).toList();
	}

	final void awaitMoreTicks(int count) {
		int before = ticks().size();
		Awaitility.await()
			.atMost(PATIENCE)
			.pollInterval(Duration.ofMillis(100))
			.until(() -> ticks().size() >= before + count);
	}

	/**
	 * Stop the ticks and expect that the job of every second from the first tick to the
	 * last was started once and not before. A process that was late fires two at once,
	 * whose jobs run in any order. A job that a process began and did not end before it
	 * was killed counts once, with its start elsewhere.
	 */
	final void expectEveryTickOnceAndNoneEarly() {
		this.producer.operations().schedule("each").pause();
		Awaitility.await()
			.atMost(PATIENCE)
			.pollInterval(Duration.ofMillis(50))
			.until(() -> queue("tick").waiting() + queue("tick").running() == 0);
		List<Long> ticks = ticks().stream().filter(this::isNotRepeated).map(Start::tick).sorted().toList();
		assertThat(ticks)
			.containsExactlyElementsOf(LongStream.rangeClosed(ticks.get(0) / 1000, ticks.get(ticks.size() - 1) / 1000)
				.mapToObj((second) -> second * 1000)
				.toList());
		assertThat(ticks()).allSatisfy((start) -> assertThat(start.millis()).as("the start of %s", start.id())
			.isGreaterThanOrEqualTo(start.tick()));
	}

	private boolean isNotRepeated(Start start) {
		return this.processes.stream()
			.filter((process) -> !process.isAlive() && starts(process).contains(start))
			.allMatch((killed) -> !killed.reported("settled " + start.id()).isEmpty()
					|| Collections.frequency(started(), start.id()) == 1);
	}

	final QueueView queue(String name) {
		return store().inspector()
			.queues(Instant.now())
			.stream()
			.filter((queue) -> queue.name().equals(name))
			.findFirst()
			.orElseThrow(() -> new AssertionError("There is no queue " + name));
	}

	/**
	 * The start of a job.
	 *
	 * @param id its id
	 * @param handler the name of the handler
	 * @param millis when it started, by the clock of the machine
	 * @param nanos when it started, by the counter that all processes share
	 */
	record Start(String id, String handler, long millis, long nanos) {

		static Start parse(String line) {
			String[] words = line.split(" ");
			return new Start(words[0], words[1], Long.parseLong(words[3]), Long.parseLong(words[4]));
		}

		/**
		 * Return for when a schedule has enqueued the job.
		 */
		long tick() {
			return Long.parseLong(this.id.substring(this.id.lastIndexOf('-') + 1));
		}

	}

}
