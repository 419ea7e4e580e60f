package dev.jobs.store.contract.engine;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;

import dev.jobs.Backoff;
import dev.jobs.Cursor;
import dev.jobs.DeadReason;
import dev.jobs.HandlerOptions;
import dev.jobs.JobContext;
import dev.jobs.JobEvent;
import dev.jobs.JobResult;
import dev.jobs.JobState;
import dev.jobs.LeaseLostException;
import dev.jobs.RetryPolicy;
import dev.jobs.SavedStep;
import dev.jobs.Step;
import dev.jobs.engine.JobEngine;
import dev.jobs.engine.JobEngineBuilder;
import dev.jobs.engine.settings.HandlerDefinition;
import dev.jobs.store.Change;
import dev.jobs.store.Save;
import dev.jobs.store.Settled;
import dev.jobs.store.contract.ForwardingStore;
import dev.jobs.store.contract.engine.FaultyStore.Verb;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The promises about what a job remembers from one run to the next: the values of its
 * steps, its cursors and its sleeps.
 */
public abstract class StepSuite extends EngineSuite {

	private static final Duration MINUTE = Duration.ofMinutes(1);

	private final List<String> done = new ArrayList<>();

	private final List<@Nullable Object> returned = new ArrayList<>();

	/** What the handler does in its next run. */
	private volatile Body body = (context) -> JobResult.done();

	private JobEngineBuilder parts() {
		return builder()
			.handler(HandlerDefinition.of("work", String.class, (payload, context) -> this.body.run(context))
				.with(HandlerOptions
					.of((set) -> set.retryPolicy(RetryPolicy.of((retry) -> retry.backoff(Backoff.fixed(MINUTE)))))));
	}

	private String run(JobEngine engine, Body body) {
		String id = engine.client().enqueue("work", "x").id();
		runAgain(engine, body);
		return id;
	}

	private void runAgain(JobEngine engine, Body body) {
		this.body = body;
		engine.runUntilIdle();
	}

	private void runLater(JobEngine engine, Body body) {
		this.clock.advance(MINUTE);
		runAgain(engine, body);
	}

	private String effect(String name) {
		this.done.add(name);
		return name;
	}

	private Body charging(JobResult result) {
		return (context) -> {
			this.returned.add(context.step("charge", Receipt.class, () -> new Receipt(effect("charge"), 4200)));
			return result;
		};
	}

	private static List<String> names(JobEngine engine, String id) {
		return engine.operations().job(id).steps().stream().map(SavedStep::name).toList();
	}

	private DeadReason reason(String id) {
		return Objects.requireNonNull(job(id).trail().end()).reason();
	}

	private String error(String id) {
		return String.valueOf(Objects.requireNonNull(job(id).trail().end()).message());
	}

	// --- steps

	@Test
	void stepRunsOnceAndLaterRunsGetItsValue() {
		JobEngine engine = build(parts());
		String id = run(engine, charging(JobResult.retry()));
		runLater(engine, charging(JobResult.snooze(MINUTE)));
		assertThat(names(engine, id)).containsExactly("charge");
		runLater(engine, charging(JobResult.done()));
		assertThat(this.done).containsExactly("charge");
		assertThat(this.returned).containsExactly(new Receipt("charge", 4200), new Receipt("charge", 4200),
				new Receipt("charge", 4200));
		assertThat(exists(id)).isFalse();
		assertThat(this.store.inspector().saved("work", id)).isEmpty();
	}

	@Test
	void eachSavedStepIsPublishedOnce() {
		List<String> events = new ArrayList<>();
		JobEngine engine = build(parts().listeners(List.of((event) -> {
			if (event instanceof JobEvent.StepSaved saved) {
				events.add(saved.name() + " " + saved.step());
			}
		})));
		run(engine, charging(JobResult.retry()));
		runLater(engine, (context) -> {
			context.step("charge", () -> effect("charge"));
			context.step("mail", () -> effect("mail"));
			return JobResult.done();
		});
		assertThat(events).containsExactly("work charge", "work mail");
	}

	@Test
	void stepThatFailedRunsAgainAndTheOnesBeforeItDoNot() {
		JobEngine engine = build(parts());
		run(engine, (context) -> {
			context.step("charge", () -> effect("charge"));
			context.step("mail", () -> {
				effect("mail");
				throw new IllegalStateException("no connection");
			});
			return JobResult.done();
		});
		runLater(engine, (context) -> {
			context.step("charge", () -> effect("charge"));
			context.step("mail", () -> effect("mail"));
			return JobResult.done();
		});
		assertThat(this.done).containsExactly("charge", "mail", "mail");
		assertThat(jobs()).isEmpty();
	}

	@Test
	void exceptionOfAStepIsThrownAsItIs() {
		JobEngine engine = build(parts());
		AtomicReference<Exception> caught = new AtomicReference<>();
		Exception fault = new java.io.IOException("no connection");
		run(engine, (context) -> {
			try {
				context.step("read", String.class, () -> {
					throw fault;
				});
			}
			catch (java.io.IOException ex) {
				caught.set(ex);
			}
			return JobResult.done();
		});
		assertThat(caught.get()).isSameAs(fault);
	}

	@Test
	@SuppressWarnings("NullAway") // a value may be null
	void nullAndNothingAreValues() {
		JobEngine engine = build(parts());
		Body body = (context) -> {
			this.returned.add(context.step("find", String.class, () -> {
				effect("find");
				return null;
			}));
			context.step("mail", () -> effect("mail"));
			return JobResult.retry();
		};
		run(engine, body);
		runLater(engine, body);
		assertThat(this.done).containsExactly("find", "mail");
		assertThat(this.returned).containsExactly(null, null);
	}

	@Test
	void stepsMayBeAddedRemovedAndReordered() {
		JobEngine engine = build(parts());
		run(engine, (context) -> {
			context.step("a", String.class, () -> effect("a"));
			context.step("b", String.class, () -> effect("b"));
			context.step("old", String.class, () -> effect("old"));
			return JobResult.retry();
		});
		runLater(engine, (context) -> {
			this.returned.add(context.step("new", String.class, () -> effect("new")));
			this.returned.add(context.step("b", String.class, () -> effect("b again")));
			this.returned.add(context.step("a", String.class, () -> effect("a again")));
			return JobResult.done();
		});
		assertThat(this.done).containsExactly("a", "b", "old", "new");
		assertThat(this.returned).containsExactly("new", "b", "a");
	}

	@Test
	void renamedStepKeepsItsValue() {
		JobEngine engine = build(parts());
		run(engine, (context) -> {
			context.step("pay", String.class, () -> effect("paid"));
			return JobResult.retry();
		});
		runLater(engine, (context) -> {
			Step charge = Step.named("charge").formerly("bill").formerly("pay");
			this.returned.add(context.step(charge, String.class, () -> effect("charged")));
			return JobResult.done();
		});
		assertThat(this.returned).containsExactly("paid");
	}

	@Test
	void stepsOfSeveralThreadsKeepTheirValues() {
		JobEngine engine = build(parts());
		Body body = (context) -> {
			List<CompletableFuture<Integer>> all = IntStream.range(0, 40)
				.mapToObj((i) -> CompletableFuture.supplyAsync(() -> context.step("part " + i, Integer.class, () -> i)))
				.toList();
			all.forEach((part) -> this.returned.add(part.join()));
			return JobResult.retry();
		};
		String id = run(engine, body);
		assertThat(names(engine, id)).hasSize(40);
		runLater(engine, body);
		assertThat(this.returned).hasSize(80)
			.startsWith(IntStream.range(0, 40).boxed().toArray())
			.endsWith(IntStream.range(0, 40).boxed().toArray());
	}

	@Test
	void nameThatIsUsedTwiceInARunIsRefused() {
		JobEngine engine = build(parts());
		String id = run(engine, (context) -> {
			context.step("charge", () -> effect("first"));
			context.step("charge", () -> effect("second"));
			return JobResult.done();
		});
		assertThat(this.done).containsExactly("first");
		assertThat(job(id).trail().attempts().get(0).error()).contains("'charge' was used before in this run");
	}

	@ParameterizedTest
	@ValueSource(strings = { "", "  ", "line\nbreak" })
	void nameWithoutTextOrWithControlCharactersIsRefused(String name) {
		JobEngine engine = build(parts());
		String id = run(engine, (context) -> {
			context.step(name, () -> effect("done"));
			return JobResult.done();
		});
		assertThat(this.done).isEmpty();
		assertThat(job(id).trail().attempts().get(0).error()).contains("name of a step");
	}

	@Test
	void valueThatNoLongerFitsItsTypeMakesTheJobUnreadableUntilTheStepIsForgotten() {
		JobEngine engine = build(parts());
		String id = run(engine, (context) -> {
			context.step("charge", String.class, () -> effect("charge"));
			return JobResult.retry();
		});
		runLater(engine, charging(JobResult.done()));
		assertThat(job(id).state()).isEqualTo(JobState.DEAD);
		assertThat(reason(id)).isEqualTo(DeadReason.UNREADABLE);
		assertThat(error(id)).contains("step 'charge'", "Receipt");
		assertThat(engine.operations().job(id).forgetStep("mail")).isFalse();
		assertThat(engine.operations().job(id).forgetStep("charge")).isTrue();
		assertThat(names(engine, id)).isEmpty();
		engine.operations().job(id).retry();
		runAgain(engine, charging(JobResult.done()));
		assertThat(this.done).containsExactly("charge", "charge");
		assertThat(jobs()).isEmpty();
	}

	@Test
	void deadJobThatIsRetriedGoesOnBehindItsSteps() {
		JobEngine engine = build(parts());
		String id = run(engine, charging(JobResult.discard()));
		assertThat(job(id).state()).isEqualTo(JobState.DEAD);
		engine.operations().job(id).retry();
		runAgain(engine, charging(JobResult.done()));
		assertThat(this.done).containsExactly("charge");
	}

	@Test
	void valueThatIsTooLargeEndsInDeathAndSaysSo() {
		JobEngine engine = build(parts());
		String id = run(engine, (context) -> {
			context.step("export", byte[].class, () -> new byte[1_100_000]);
			return JobResult.done();
		});
		assertThat(reason(id)).isEqualTo(DeadReason.DISCARDED);
		assertThat(error(id)).contains("step 'export'", "1048576");
	}

	@Test
	void moreBytesThanAJobMaySaveEndInDeathAndSaySo() {
		JobEngine engine = build(parts());
		String id = run(engine, (context) -> {
			for (int i = 0; i < 30; i++) {
				context.step("part " + i, byte[].class, () -> new byte[700_000]);
			}
			return JobResult.done();
		});
		assertThat(reason(id)).isEqualTo(DeadReason.DISCARDED);
		assertThat(error(id)).contains("part 23", "16 MB");
		assertThat(names(engine, id)).hasSize(23);
	}

	@Test
	void staleRunSavesNothing() {
		JobEngine engine = build(parts());
		AtomicReference<Exception> caught = new AtomicReference<>();
		run(engine, (context) -> {
			this.store.change(List.of(new Change.Purge()), this.clock.instant());
			try {
				context.step("charge", () -> effect("charge"));
			}
			catch (LeaseLostException ex) {
				caught.set(ex);
				throw ex;
			}
			return JobResult.done();
		});
		assertThat(caught.get()).hasMessageContaining("no longer held");
		assertThat(jobs()).isEmpty();
	}

	@Test
	void noLineAfterAStepRunsBeforeItsValueIsSaved() {
		FaultyStore store = new FaultyStore(this.store);
		JobEngine engine = build(new JobEngineBuilder(store).clock(this.clock)
			.handler(HandlerDefinition.of("work", String.class, (payload, context) -> this.body.run(context))));
		store.failToSend(Verb.SAVE, 2);
		store.loseReplies(Verb.SAVE, 1);
		String id = engine.client().enqueue("work", "x").id();
		this.body = (context) -> {
			context.step("charge", () -> effect("charge"));
			assertThat(this.store.inspector().saved("work", id)).hasSize(1);
			return effect("end").isEmpty() ? JobResult.retry() : JobResult.done();
		};
		engine.runUntilIdle();
		assertThat(this.done).containsExactly("charge", "end");
		assertThat(store.calls(Verb.SAVE)).isEqualTo(4);
	}

	@Test
	void jobWithoutStepsNeitherReadsNorSaves() {
		FaultyStore store = new FaultyStore(this.store);
		JobEngine engine = build(new JobEngineBuilder(store).clock(this.clock)
			.handler(HandlerDefinition.of("work", String.class, (payload, context) -> JobResult.done())));
		engine.client().enqueue("work", "x");
		engine.runUntilIdle();
		assertThat(store.calls(Verb.SAVE)).isZero();
	}

	@Test
	void operatorsSeeNamesTimesAndValues() {
		JobEngine engine = build(parts());
		String id = run(engine, charging(JobResult.retry()));
		assertThat(engine.operations().job(id).steps()).singleElement().satisfies((step) -> {
			assertThat(step.name()).isEqualTo("charge");
			assertThat(step.savedAt()).isEqualTo(START);
			assertThat(new String(step.value())).isEqualTo("{\"cents\":4200,\"charge\":\"charge\"}");
		});
		assertThat(engine.operations().job("no-such-job").steps()).isEmpty();
		assertThat(engine.operations().job("no-such-job").forgetStep("charge")).isFalse();
	}

	@Test
	void runThatIsKilledAtAnyLineGoesOnThere() {
		JobEngine engine = build(parts());
		List<String> steps = List.of("charge", "reserve", "mail");
		for (String step : steps) {
			for (boolean saved : List.of(true, false)) {
				this.done.clear();
				engine.testPoints().add(step, saved);
				run(engine, (context) -> {
					Cursor<Integer> line = context.cursor("line", Integer.class, 0);
					for (String name : steps) {
						line.moveTo(Math.max(line.get(), steps.indexOf(name) + 1));
						context.step(name, () -> effect(name));
					}
					effect("line " + line.get());
					return JobResult.done();
				});
				List<String> expected = new ArrayList<>(steps);
				if (!saved) {
					expected.add(steps.indexOf(step), step);
				}
				expected.add("line 3");
				assertThat(this.done).isEqualTo(expected);
			}
		}
		assertThat(jobs()).isEmpty();
	}

	@Test
	void stepIsSavedOnItsThreadByACallThatWaitsForNoOther() {
		List<String> calls = new ArrayList<>();
		ForwardingStore store = new ForwardingStore(this.store) {

			@Override
			public List<Settled> save(List<Save> saves, Instant now) {
				saves.forEach((save) -> calls.add(save.name() + " " + saves.size() + Thread.currentThread().getName()));
				return super.save(saves, now);
			}

		};
		JobEngine engine = start(new JobEngineBuilder(store).clock(this.clock)
			.handler(HandlerDefinition.of("work", String.class, (payload, context) -> this.body.run(context))));
		this.body = (context) -> {
			for (String name : List.of("a", "b", "c")) {
				context.step(name, () -> effect(name + " 1" + Thread.currentThread().getName()));
			}
			return JobResult.done();
		};
		engine.client().enqueue("work", "x");
		await("it is done", () -> jobs().isEmpty());
		assertThat(calls).hasSize(3).isEqualTo(this.done);
	}

	@Test
	void jobGoesOnWhicheverStepItsWorkerStopsAt() throws InterruptedException {
		List<String> steps = List.of("charge", "reserve", "mail");
		List<Integer> attempts = new ArrayList<>();
		CountDownLatch never = new CountDownLatch(1);
		JobEngine first = build(parts());
		first.client().enqueue("work", "x");
		for (String stopped : steps) {
			CountDownLatch begun = new CountDownLatch(1);
			this.body = (context) -> {
				attempts.add(context.attempt());
				assertThat(context.shouldYield()).isFalse();
				for (String step : steps) {
					context.step(step, () -> {
						effect(step);
						if (step.equals(stopped)) {
							begun.countDown();
							never.await();
						}
					});
				}
				return JobResult.done();
			};
			JobEngine engine = start(parts());
			begun.await();
			engine.stop(Duration.ZERO);
			assertThat(jobs(JobState.READY)).hasSize(1);
		}
		runAgain(first, (context) -> {
			attempts.add(context.attempt());
			steps.forEach((step) -> context.step(step, () -> effect(step)));
			return JobResult.done();
		});
		assertThat(this.done).containsExactly("charge", "charge", "reserve", "reserve", "mail", "mail");
		assertThat(attempts).containsExactly(1, 1, 1, 1);
		assertThat(jobs()).isEmpty();
	}

	// --- cursors

	private Body counting(int from, int to, JobResult result) {
		return (context) -> {
			Cursor<Integer> line = context.cursor("line", Integer.class, 0);
			assertThat(line.get()).isEqualTo(from);
			for (int i = line.get() + 1; i <= to; i++) {
				line.moveTo(i);
			}
			return result;
		};
	}

	@Test
	void cursorGoesOnWhereItWas() {
		JobEngine engine = build(parts());
		String id = run(engine, counting(0, 7, JobResult.retry()));
		runLater(engine, counting(7, 9, JobResult.snooze(MINUTE)));
		assertThat(engine.operations().job(id).steps()).singleElement()
			.satisfies((step) -> assertThat(new String(step.value())).isEqualTo("9"));
		runLater(engine, counting(9, 20, JobResult.done()));
		assertThat(jobs()).isEmpty();
	}

	@Test
	void cursorOfARunThatThrewIsSaved() {
		JobEngine engine = build(parts());
		run(engine, (context) -> {
			context.cursor("line", Integer.class, 0).moveTo(5);
			throw new IllegalStateException("broken");
		});
		runLater(engine, counting(5, 6, JobResult.done()));
		assertThat(jobs()).isEmpty();
	}

	@Test
	void stepSavesTheCursorsBeforeIt() {
		JobEngine engine = build(parts());
		run(engine, (context) -> {
			context.cursor("line", Integer.class, 0).moveTo(5);
			context.step("note", () -> this.returned.addAll(names(engine, context.id())));
			return JobResult.done();
		});
		assertThat(this.returned).containsExactly("line");
	}

	@Test
	void cursorIsSavedOnceASecondAtMost() {
		FaultyStore store = new FaultyStore(this.store);
		JobEngine engine = build(new JobEngineBuilder(store).clock(this.clock)
			.handler(HandlerDefinition.of("work", String.class, (payload, context) -> this.body.run(context))));
		engine.client().enqueue("work", "x");
		this.body = counting(0, 10_000, JobResult.done());
		engine.runUntilIdle();
		assertThat(store.calls(Verb.SAVE)).isLessThanOrEqualTo(3);
	}

	@Test
	void positionKeepsItsTypeAndOutlivesARunThatDidNotMove() {
		JobEngine engine = build(parts());
		run(engine, (context) -> {
			context.cursor("until", Instant.class, Instant.EPOCH).moveTo(START);
			return JobResult.retry();
		});
		runLater(engine, (context) -> {
			context.cursor("until", Instant.class, Instant.EPOCH);
			throw new IllegalStateException("broken");
		});
		runLater(engine, (context) -> {
			this.returned.add(context.cursor("until", Instant.class, Instant.EPOCH).get());
			return JobResult.done();
		});
		assertThat(this.returned).containsExactly(START);
	}

	@Test
	void jobThatYieldsGoesOnWithoutALostAttempt() {
		JobEngine engine = build(parts());
		String id = engine.client().enqueue("work", "x").id();
		List<Integer> attempts = new ArrayList<>();
		runAgain(engine, (context) -> {
			attempts.add(context.attempt());
			Cursor<Integer> line = context.cursor("line", Integer.class, 0);
			line.moveTo(line.get() + 1);
			return (line.get() < 3) ? JobResult.yield() : JobResult.done();
		});
		assertThat(attempts).containsExactly(1, 1, 1);
		assertThat(exists(id)).isFalse();
	}

	@Test
	void workerThatStopsAsksLongRunsToYield() throws Exception {
		CountDownLatch started = new CountDownLatch(1);
		JobEngine engine = start(parts());
		this.body = (context) -> {
			Cursor<Integer> line = context.cursor("line", Integer.class, 0);
			while (!context.shouldYield()) {
				line.moveTo(line.get() + 1);
				started.countDown();
			}
			assertThat(Thread.currentThread().isInterrupted()).isFalse();
			return JobResult.yield();
		};
		String id = engine.client().enqueue("work", "x").id();
		started.await();
		engine.stop(MINUTE);
		assertThat(job(id).state()).isEqualTo(JobState.READY);
		assertThat(job(id).attempt()).isEqualTo(1);
		assertThat(names(engine, id)).containsExactly("line");
	}

	// --- sleep

	private Body sleeping(Duration duration) {
		return (context) -> {
			context.step("before", () -> effect("before"));
			context.sleep("cool down", duration);
			context.step("after", () -> effect("after"));
			return JobResult.done();
		};
	}

	@Test
	void sleepTakesNoThreadAndNoAttempt() {
		JobEngine engine = build(parts());
		String id = run(engine, sleeping(Duration.ofDays(3)));
		assertThat(job(id).state()).isEqualTo(JobState.SCHEDULED);
		assertThat(job(id).dueAt()).isEqualTo(START.plus(Duration.ofDays(3)));
		assertThat(job(id).attempt()).isEqualTo(1);
		this.clock.advance(Duration.ofDays(3).minusMillis(1));
		engine.runUntilIdle();
		assertThat(this.done).containsExactly("before");
		this.clock.advance(Duration.ofMillis(1));
		engine.runUntilIdle();
		assertThat(this.done).containsExactly("before", "after");
		assertThat(jobs()).isEmpty();
	}

	@Test
	void operatorsSeeTheEndOfASleepAsATime() {
		JobEngine engine = build(parts());
		String id = run(engine, sleeping(Duration.ofDays(3)));
		assertThat(engine.operations().job(id).steps()).filteredOn((step) -> step.name().equals("cool down"))
			.singleElement()
			.satisfies((step) -> assertThat(new String(step.value()))
				.isEqualTo("\"" + START.plus(Duration.ofDays(3)) + "\""));
	}

	@Test
	void changedDurationNeitherSleepsAgainNorLonger() {
		JobEngine engine = build(parts());
		run(engine, sleeping(Duration.ofDays(3)));
		this.clock.advance(Duration.ofDays(3));
		runAgain(engine, sleeping(Duration.ofDays(300)));
		assertThat(this.done).containsExactly("before", "after");
		assertThat(jobs()).isEmpty();
	}

	@ParameterizedTest
	@ValueSource(strings = { "PT0S", "PT-1S", "PT-876000H" })
	void sleepOfNoTimeIsOverAtOnce(Duration duration) {
		JobEngine engine = build(parts());
		run(engine, sleeping(duration));
		assertThat(this.done).containsExactly("before", "after");
		assertThat(jobs()).isEmpty();
	}

	@ParameterizedTest
	@ValueSource(strings = { "PT0.001S", "PT59S", "PT61S", "P3650D" })
	void sleepIsOverWhenItsTimeIs(Duration duration) {
		JobEngine engine = build(parts());
		run(engine, sleeping(duration));
		this.clock.advance(duration.minusMillis(1));
		engine.runUntilIdle();
		assertThat(this.done).containsExactly("before");
		this.clock.advance(Duration.ofMillis(1));
		engine.runUntilIdle();
		assertThat(this.done).containsExactly("before", "after");
	}

	@Test
	void jobThatIsRetriedEarlySleepsOn() {
		JobEngine engine = build(parts());
		String id = run(engine, sleeping(Duration.ofDays(3)));
		engine.operations().job(id).retry();
		engine.runUntilIdle();
		assertThat(job(id).dueAt()).isEqualTo(START.plus(Duration.ofDays(3)));
		assertThat(this.done).containsExactly("before");
	}

	@Test
	void handlerThatSwallowsTheEndOfItsRunFailsTheAttempt() {
		JobEngine engine = build(parts());
		String id = run(engine, (context) -> {
			try {
				context.sleep("cool down", MINUTE);
			}
			catch (Throwable ex) {
				effect("swallowed");
			}
			return JobResult.done();
		});
		assertThat(this.done).containsExactly("swallowed");
		assertThat(job(id).trail().attempts().get(0).error()).contains("catch Exception instead of Throwable");
	}

	// --- handlers that catch

	@Test
	void valueThatCannotBeReadIsNotHiddenByAHandlerThatCatches() {
		JobEngine engine = build(parts());
		String id = run(engine, (context) -> {
			context.step("charge", String.class, () -> effect("charge"));
			return JobResult.retry();
		});
		runLater(engine, (context) -> {
			try {
				context.step("charge", Receipt.class, () -> new Receipt(effect("again"), 1));
			}
			catch (RuntimeException ex) {
				effect("caught");
			}
			return JobResult.done();
		});
		assertThat(reason(id)).isEqualTo(DeadReason.UNREADABLE);
		assertThat(this.done).containsExactly("charge", "caught");
	}

	@Test
	void valueThatIsTooLargeEndsTheJobOnAnyThread() {
		JobEngine engine = build(parts());
		String id = run(engine, (context) -> CompletableFuture.supplyAsync(() -> {
			context.step("export", byte[].class, () -> new byte[1_100_000]);
			return JobResult.done();
		}).join());
		assertThat(reason(id)).isEqualTo(DeadReason.DISCARDED);
	}

	@Test
	void noStepRunsBehindASleepThatWasSwallowed() {
		JobEngine engine = build(parts());
		run(engine, (context) -> {
			try {
				context.sleep("cool down", MINUTE);
			}
			catch (Throwable ex) {
				effect("swallowed");
			}
			context.step("mail", () -> effect("mail"));
			return JobResult.done();
		});
		assertThat(this.done).containsExactly("swallowed");
	}

	@Test
	void staleRunThatCatchesDoesNoFurtherStep() {
		JobEngine engine = build(parts());
		run(engine, (context) -> {
			this.store.change(List.of(new Change.Purge()), this.clock.instant());
			for (String name : List.of("a", "b", "c")) {
				try {
					context.step(name, () -> effect(name));
				}
				catch (LeaseLostException ex) {
					effect("lost");
				}
			}
			return JobResult.done();
		});
		assertThat(this.done).containsExactly("a", "lost", "lost", "lost");
	}

	@Test
	void typeThatCanNeverBeReadIsFoundOutBeforeTheEffect() {
		JobEngine engine = build(parts());
		String id = run(engine, (context) -> {
			context.step("charge", Unreadable.class, () -> {
				throw new IllegalStateException(effect("charge"));
			});
			return JobResult.done();
		});
		assertThat(this.done).isEmpty();
		assertThat(job(id).trail().attempts()).hasSize(1);
	}

	@Test
	void saveThatIsRefusedForGoodEndsTheJobAndSaysSo() {
		FaultyStore store = new FaultyStore(this.store);
		JobEngine engine = build(new JobEngineBuilder(store).clock(this.clock)
			.handler(HandlerDefinition.of("work", String.class, (payload, context) -> this.body.run(context))));
		store.refuse(Verb.SAVE, (name) -> true, false);
		String id = engine.client().enqueue("work", "x").id();
		this.body = charging(JobResult.done());
		engine.runUntilIdle();
		assertThat(this.done).containsExactly("charge");
		assertThat(reason(id)).isEqualTo(DeadReason.DISCARDED);
		assertThat(error(id)).contains("step 'charge'");
	}

	/**
	 * One run of the handler.
	 */
	private interface Body {

		JobResult run(JobContext context) throws Exception;

	}

	private record Receipt(String charge, long cents) {

	}

	private interface Unreadable {

	}

}
