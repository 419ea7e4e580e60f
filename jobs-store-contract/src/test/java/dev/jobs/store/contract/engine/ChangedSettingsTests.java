package dev.jobs.store.contract.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.stream.IntStream;

import dev.jobs.JobRequest;
import dev.jobs.JobResult;
import dev.jobs.JobState;
import dev.jobs.UnknownNameException;
import dev.jobs.engine.JobEngine;
import dev.jobs.engine.JobEngineBuilder;
import dev.jobs.engine.StopReport;
import dev.jobs.HandlerOptions;
import dev.jobs.store.JobStore;
import dev.jobs.store.memory.InMemoryJobStore;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * Tests for settings that change while an engine runs, which do not concern the store.
 */
class ChangedSettingsTests extends EngineSuite {

	private final RecordingHandler handler = new RecordingHandler();

	private final AtomicInteger running = new AtomicInteger();

	/** How many ran when a run began, itself included. */
	private final List<Integer> found = Collections.synchronizedList(new ArrayList<>());

	private final Semaphore ends = new Semaphore(0);

	@Override
	protected JobStore createStore() {
		return new InMemoryJobStore();
	}

	@AfterEach
	void releaseHandlers() {
		this.ends.release(10_000);
	}

	// --- limits

	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	void raisedLimitOfAHandlerStartsMoreAtOnce(boolean local) {
		JobEngine engine = holding(builder().handler(this.handler.named("a").with(HandlerOptions.of(limit(local, 1)))));
		enqueue(engine, "a", 10);
		await("one runs", () -> this.running.get() == 1);
		engine.changeHandler("a", limit(local, 5));
		await("five run", () -> this.running.get() == 5);
		assertThat(queue("a").running()).isEqualTo(5);
		engine.changeHandler("a", limit(local, 0));
		await("all run", () -> this.running.get() == 10);
	}

	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	void loweredLimitOfAHandlerStartsNothingUntilEnoughHaveEnded(boolean local) {
		JobEngine engine = holding(builder().handler(this.handler.named("a")));
		enqueue(engine, "a", 4);
		await("four run", () -> this.running.get() == 4);
		engine.changeHandler("a", limit(local, 1));
		enqueue(engine, "a", 6);
		this.ends.release(10);
		await("all have run", () -> jobs().isEmpty());
		assertThat(this.found.subList(4, 10)).containsOnly(1);
	}

	@Test
	void newLimitStartsNothingThatWaitsInLine() {
		JobEngine engine = holding(generous(20).concurrency(4).handler(this.handler.named("a")));
		enqueue(engine, "a", 20);
		await("four run and the others wait in line", () -> this.running.get() == 4 && queue("a").running() == 20);
		engine.changeHandler("a", limit(false, 1));
		await("only the four are held", () -> queue("a").running() == 4);
		this.ends.release(20);
		await("all have run", () -> jobs().isEmpty());
		assertThat(this.found).hasSize(20);
		assertThat(this.found.subList(4, 20)).containsOnly(1);
	}

	@Test
	void changedLimitIsShown() {
		JobEngine engine = holding(builder().handler(this.handler.named("a")));
		enqueue(engine, "a", 1);
		engine.changeHandler("a", limit(false, 7));
		engine.wake();
		await("the limit is shown",
				() -> queue("a").limitAmong(this.store.inspector().workers(this.clock.instant())) == 7);
	}

	// --- weights

	@Test
	void changedWeightCountsFromTheNextClaimOn() {
		List<String> picks = Collections.synchronizedList(new ArrayList<>());
		JobEngine engine = build(builder().concurrency(20)
			.handler(this.handler.named("a").with(HandlerOptions.of((set) -> set.priority(10_000))))
			.handler(this.handler.named("b")));
		this.handler.then((payload, context) -> {
			picks.add(context.name());
			if (this.running.incrementAndGet() == 100) {
				engine.changeHandler("a", (set) -> set.priority(1));
				engine.changeHandler("b", (set) -> set.priority(10_000));
			}
			return JobResult.done();
		});
		enqueue(engine, "a", 5000);
		enqueue(engine, "b", 3000);
		engine.start();
		await("all have run", () -> picks.size() == 8000);
		assertThat(Collections.frequency(picks.subList(0, 80), "a")).isGreaterThan(70);
		assertThat(Collections.frequency(picks.subList(1000, 2000), "b")).isGreaterThan(900);
	}

	// --- what is asked for at each run

	@Test
	void changedPolicyCountsForAJobThatRuns() {
		this.handler.then((payload, context) -> {
			this.running.incrementAndGet();
			this.ends.acquire();
			throw new IllegalStateException("fails");
		});
		JobEngine engine = start(builder().handler(this.handler.named("a")));
		enqueue(engine, "a", 1);
		await("it runs", () -> this.running.get() == 1);
		engine.changeHandler("a", (set) -> set.retry((retry) -> retry.maxAttempts(1)));
		this.ends.release();
		await("it is dead", () -> jobs(JobState.DEAD).size() == 1);
		assertThat(engine.maxAttempts("a")).hasValue(1);
	}

	@Test
	void changedTimeoutBoundsTheNextRun() {
		JobEngine engine = holding(builder().handler(this.handler.named("a")));
		engine.changeHandler("a", (set) -> set.timeout(Duration.ofMinutes(5)));
		enqueue(engine, "a", 1);
		await("it runs", () -> this.running.get() == 1);
		this.clock.advance(Duration.ofMinutes(6));
		await("it has timed out", () -> jobs(JobState.SCHEDULED).size() == 1);
	}

	@Test
	void formerNamesOfAHandlerChangeWithIt() {
		JobEngine engine = holding(builder()
			.handler(this.handler.named("a").withAliases("former").with(HandlerOptions.of(limit(true, 2)))));
		engine.changeHandler("former", limit(true, 3));
		enqueue(engine, "a", 4);
		enqueue(engine, "former", 4);
		await("three run", () -> this.running.get() == 3);
		assertThat(queue("a").running() + queue("former").running()).isEqualTo(3);
	}

	// --- pools

	@Test
	void grownPoolStartsMoreAtOnce() {
		JobEngine engine = holding(builder().concurrency(1).handler(this.handler.named("a")));
		enqueue(engine, "a", 10);
		await("one runs", () -> this.running.get() == 1);
		engine.changePool("default", 5);
		await("five run", () -> this.running.get() == 5);
		assertThat(engine.status().pools().get(0).concurrency()).isEqualTo(5);
	}

	@Test
	void shrunkPoolStartsNothingUntilEnoughHaveEnded() {
		JobEngine engine = holding(generous(20).concurrency(5).handler(this.handler.named("a")));
		enqueue(engine, "a", 20);
		await("five run and the others wait in line", () -> this.running.get() == 5 && queue("a").running() == 20);
		engine.changePool("default", 2);
		this.ends.release(20);
		await("all have run", () -> jobs().isEmpty());
		assertThat(this.found).hasSize(20);
		assertThat(this.found.subList(5, 20)).allMatch((count) -> count <= 2);
		await("two threads are left", () -> threads() == 2);
	}

	@Test
	void poolThatShrinksAndGrowsLosesAndDoublesNoJob() {
		this.handler.then((payload, context) -> JobResult.done());
		JobEngine engine = start(builder().concurrency(10).handler(this.handler.named("a")));
		Random random = new Random(1);
		enqueue(engine, "a", 5000);
		await("all have run", () -> {
			for (int i = 0; i < 10; i++) {
				engine.changePool("default", 1 + random.nextInt(20));
			}
			return this.handler.runs() >= 5000;
		});
		await("the end", () -> jobs().isEmpty() && engine.status().busy() == 0);
		assertThat(this.handler.ids()).hasSize(5000).doesNotHaveDuplicates();
		engine.changePool("default", 3);
		await("three threads are left", () -> threads() == 3);
	}

	@Test
	void poolChangedBetweenTwoStartsHasItsNewSize() {
		JobEngine engine = holding(builder().concurrency(1).handler(this.handler.named("a")));
		engine.stopNow();
		engine.changePool("default", 3);
		engine.start();
		enqueue(engine, "a", 5);
		await("three run", () -> this.running.get() == 3);
	}

	@Test
	void handlerThatChangesItsPoolWhileTheEngineStopsEndsByItself() {
		JobEngine engine = build(builder().concurrency(2).handler(this.handler.named("a")));
		this.handler.then((payload, context) -> {
			this.running.incrementAndGet();
			this.ends.acquire();
			engine.changePool("default", 5);
			engine.changeHandler("a", limit(true, 5));
			return JobResult.done();
		});
		engine.start();
		enqueue(engine, "a", 1);
		await("it runs", () -> this.running.get() == 1);
		AtomicReference<StopReport> report = new AtomicReference<>();
		Thread stop = new Thread(() -> report.set(engine.stop(Duration.ofSeconds(10))));
		stop.start();
		await("the idle thread has ended", () -> threads() == 1);
		this.ends.release();
		await("the engine has stopped", () -> report.get() != null);
		assertThat(report.get()).isEqualTo(new StopReport(1, 0, List.of(), true));
		assertThat(threads()).isZero();
	}

	// --- refusals

	@Test
	void changeOfWhatDoesNotExistIsRefused() {
		JobEngine engine = build(builder().handler(this.handler.named("a")));
		assertThatExceptionOfType(UnknownNameException.class)
			.isThrownBy(() -> engine.changeHandler("b", (set) -> set.priority(2)))
			.withMessageContainingAll("'b'", "[a]");
		assertThatExceptionOfType(UnknownNameException.class).isThrownBy(() -> engine.changePool("slow", 2))
			.withMessageContainingAll("'slow'", "[default]");
	}

	@Test
	void changeToWhatIsNotValidIsRefused() {
		JobEngine engine = build(builder().handler(this.handler.named("a")));
		assertThatIllegalArgumentException().isThrownBy(() -> engine.changePool("default", 0))
			.withMessageContainingAll("'concurrency'", "default", "0");
		assertThatIllegalArgumentException()
			.isThrownBy(() -> engine.changeHandler("a", (set) -> set.transactional(true)))
			.withMessageContaining("'transactional'");
	}

	// --- help

	/**
	 * Start an engine whose jobs run until they are released one by one.
	 */
	private JobEngine holding(JobEngineBuilder builder) {
		this.handler.then((payload, context) -> {
			this.found.add(this.running.incrementAndGet());
			try {
				this.ends.acquire();
				return JobResult.done();
			}
			finally {
				this.running.decrementAndGet();
			}
		});
		return start(builder);
	}

	private JobEngineBuilder generous(int jobs) {
		return new JobEngineBuilder(new GenerousStore(this.store, jobs)).clock(this.clock);
	}

	private static Consumer<HandlerOptions.Builder> limit(boolean local, int limit) {
		return (set) -> {
			if (local) {
				set.localConcurrency(limit);
			}
			else {
				set.maxConcurrency(limit);
			}
		};
	}

	private static void enqueue(JobEngine engine, String name, int count) {
		engine.client()
			.enqueueAll(IntStream.range(0, count).mapToObj((i) -> JobRequest.named(name).payload(i)).toList());
	}

	private static long threads() {
		return Thread.getAllStackTraces()
			.keySet()
			.stream()
			.filter((thread) -> thread.getName().matches("jobs-default-\\d+"))
			.count();
	}

}
