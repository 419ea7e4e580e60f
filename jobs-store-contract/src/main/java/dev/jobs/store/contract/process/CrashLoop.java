package dev.jobs.store.contract.process;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import dev.jobs.DeadReason;
import dev.jobs.Enqueued;
import dev.jobs.Job;
import dev.jobs.JobEvent;
import dev.jobs.JobRequest;
import dev.jobs.engine.JobEngine;
import org.awaitility.Awaitility;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Ten processes that die in a row, four of them by a job and the others by a kill from
 * outside, while 40 innocent jobs run or wait for their turn beside it.
 */
public final class CrashLoop {

	/** The name of the innocent jobs, which run until they are asked to end. */
	public static final String INNOCENT = "hold";

	/** The name of the job that ends its process as soon as it is asked to. */
	public static final String KILLER = "hold-deadly";

	private static final int INNOCENTS = 40;

	private static final int KILLS_FROM_OUTSIDE = 6;

	private static final Duration PATIENCE = Duration.ofSeconds(300);

	private final JobEngine engine;

	private final Ledger ledger;

	private final Supplier<JobsProcess> launch;

	private final List<JobsProcess> processes = new ArrayList<>();

	/**
	 * Create a crash loop.
	 * @param engine an engine that has handlers for both names and is not started
	 * @param ledger what the engine publishes
	 * @param launch starts a process that can run all jobs at once
	 */
	public CrashLoop(JobEngine engine, Ledger ledger, Supplier<JobsProcess> launch) {
		this.engine = engine;
		this.ledger = ledger;
		this.launch = launch;
	}

	/**
	 * Let the processes die and expect that the killer is dead and nobody else is.
	 */
	public void expectThatOnlyTheKillerIsBuried() {
		List<String> innocents = this.engine.client()
			.enqueueAll(IntStream.range(0, INNOCENTS).mapToObj((i) -> JobRequest.named(INNOCENT).payload(i)).toList())
			.stream()
			.map(Enqueued::id)
			.toList();
		String killer = this.engine.client().enqueue(KILLER).id();
		for (int i = 0; i < 2; i++) {
			JobsProcess process = launch().await("start", INNOCENTS + 1);
			process.say(KILLER);
			assertThat(process.awaitEnd()).isEqualTo(4);
		}
		this.engine.operations().queue(KILLER).pause();
		for (int i = 0; i < KILLS_FROM_OUTSIDE; i++) {
			launch().await("start").kill();
		}
		this.engine.operations().queue(KILLER).resume();
		for (int i = 0; i < 2; i++) {
			JobsProcess process = launch();
			process.say(INNOCENT);
			process.say(KILLER);
			assertThat(process.await("start " + killer).awaitEnd()).isEqualTo(4);
		}
		this.engine.start();
		Awaitility.await().atMost(PATIENCE).pollInterval(Duration.ofMillis(50)).untilAsserted(() -> {
			assertThat(this.ledger.reported(JobEvent.Died.class)).containsExactly(killer);
			Set<String> ended = ended();
			assertThat(innocents).filteredOn((id) -> !ended.contains(id))
				.as(() -> "jobs that came to no end: " + found(innocents, ended))
				.isEmpty();
			assertThat(ended).hasSameSizeAs(innocents);
			assertThat(innocents).noneMatch((id) -> this.engine.client().find(id).isPresent());
		});
		Job dead = this.engine.client().find(killer).orElseThrow();
		assertThat(Objects.requireNonNull(dead.trail().end()).reason()).isEqualTo(DeadReason.CRASH_LOOP);
	}

	/**
	 * Return what is known of those that did not come to their end.
	 */
	private List<String> found(List<String> ids, Set<String> ended) {
		return ids.stream().filter((id) -> !ended.contains(id)).map((id) -> {
			Optional<Job> job = this.engine.client().find(id);
			return job.map((found) -> found + " " + found.run() + " " + found.trail().attempts())
				.orElse(id + " is gone");
		}).toList();
	}

	private JobsProcess launch() {
		JobsProcess process = this.launch.get();
		this.processes.add(process);
		return process;
	}

	/**
	 * Return the jobs whose handlers came to their ends. A process may die before it
	 * tells of what it has written of them to the store.
	 */
	private Set<String> ended() {
		return Stream
			.concat(this.ledger.reported(JobEvent.Succeeded.class).stream(),
					this.processes.stream()
						.flatMap((process) -> process.reported("end").stream())
						.map((line) -> line.split(" ")[0]))
			.collect(Collectors.toSet());
	}

}
