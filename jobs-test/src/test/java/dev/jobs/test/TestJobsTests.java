package dev.jobs.test;

import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.jobs.Cursor;
import dev.jobs.HandlerOptions;
import dev.jobs.Job;
import dev.jobs.JobResult;
import dev.jobs.LeaseLostException;
import dev.jobs.NotInTimeException;
import dev.jobs.Rate;
import dev.jobs.RetryPolicy;
import dev.jobs.Signal;
import dev.jobs.cron.RecurringJob;
import dev.jobs.cron.Schedule;
import dev.jobs.engine.JobEngine;
import dev.jobs.engine.JobEngineBuilder;
import dev.jobs.engine.settings.HandlerDefinition;
import dev.jobs.operations.QueueOperations;
import dev.jobs.store.memory.InMemoryJobStore;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Tests for {@link TestJobs}.
 */
class TestJobsTests {

	private final SettableClock clock = SettableClock.at(Instant.parse("2030-01-01T00:00:00Z"));

	private final JobEngine engine = new JobEngineBuilder(new InMemoryJobStore()).clock(this.clock)
		.handler(HandlerDefinition.of("greet", Greeting.class, (greeting, context) -> {
			if (greeting.name().isEmpty()) {
				throw new IllegalStateException("Nobody to greet");
			}
			return JobResult.done();
		}).with(HandlerOptions.of((set) -> set.retryPolicy(RetryPolicy.of((retry) -> retry.maxAttempts(2))))))
		.build();

	private final TestJobs jobs = new TestJobs(this.engine, this.clock);

	@Test
	void jobWithoutAHandlerIsWarnedAboutOnce() {
		ListAppender<ILoggingEvent> lines = new ListAppender<>();
		lines.start();
		Logger logger = (Logger) LoggerFactory.getLogger(TestJobs.class);
		logger.addAppender(lines);
		try {
			this.engine.client().enqueue("helo");
			this.jobs.runUntilIdle();
			this.jobs.runUntilIdle();
		}
		finally {
			logger.detachAppender(lines);
		}
		assertThat(lines.list).extracting(ILoggingEvent::getFormattedMessage)
			.containsExactly(
					"No handler runs jobs 'helo', of which 1 wait. Add the class that has it to the context of "
							+ "the test");
	}

	@Test
	void engineThatGoesByAnotherClockIsRefused() {
		JobEngine other = new JobEngineBuilder(new InMemoryJobStore()).build();
		assertThatIllegalStateException().isThrownBy(() -> new TestJobs(other, this.clock))
			.withMessageContaining("JobEngineBuilder.clock");
		SettableClock alike = SettableClock.at(this.clock.instant());
		JobEngine later = new JobEngineBuilder(new InMemoryJobStore()).clock(alike).build();
		TestJobs jobs = new TestJobs(later, this.clock);
		assertThatIllegalStateException().isThrownBy(() -> jobs.advance(Duration.ofHours(4)))
			.withMessageContaining("JobEngineBuilder.clock");
	}

	@Test
	void waitingJobsAreSeenBeforeTheyRun() {
		this.jobs.client().enqueue(new Greeting("Ada"));
		assertThat(this.jobs.payloads("greet", Greeting.class)).containsExactly(new Greeting("Ada"));
		assertThat(this.jobs.waiting()).extracting(Job::name).containsExactly("greet");
		assertThat(this.jobs.runUntilIdle()).isOne();
		assertThat(this.jobs.waiting("greet")).isEmpty();
	}

	@Test
	void advancingRunsWhatBecomesDue() {
		this.engine.client().enqueue(new Greeting("Ada"), (options) -> options.delay(Duration.ofHours(1)));
		assertThat(this.jobs.advance(Duration.ofMinutes(59))).isZero();
		assertThat(this.jobs.advance(Duration.ofMinutes(1))).isOne();
	}

	@Test
	void failedJobIsRetriedAndThenDead() {
		this.engine.client().enqueue(new Greeting(""));
		assertThat(this.jobs.runUntilIdle()).isOne();
		assertThat(this.jobs.dead()).isEmpty();
		assertThat(this.jobs.advance(Duration.ofMinutes(2))).isOne();
		assertThat(this.jobs.dead()).singleElement()
			.satisfies((job) -> assertThat(job.trail().failures()).isEqualTo(2));
	}

	@Test
	void advancingRunsEveryRetryInTurn() {
		this.engine.client().enqueue(new Greeting(""));
		assertThat(this.jobs.advance(Duration.ofHours(1))).isEqualTo(2);
		assertThat(this.jobs.dead()).hasSize(1);
	}

	private TestJobs saving(List<String> effects) {
		JobEngine engine = new JobEngineBuilder(new InMemoryJobStore()).clock(this.clock)
			.handler(HandlerDefinition.of("order", Void.class, (nothing, context) -> {
				try {
					context.step("charge", () -> effects.add("charge"));
					context.step("mail", () -> effects.add("mail"));
				}
				catch (Exception ex) {
					effects.add("caught " + ex);
				}
				return JobResult.done();
			}))
			.build();
		engine.client().enqueue("order");
		return new TestJobs(engine, this.clock);
	}

	@Test
	void runThatIsKilledAfterAStepGoesOnBehindIt() {
		List<String> effects = new ArrayList<>();
		TestJobs jobs = saving(effects);
		jobs.killAfterStep("charge");
		assertThat(jobs.runUntilIdle()).isEqualTo(2);
		assertThat(effects).containsExactly("charge", "mail");
		assertThat(jobs.waiting()).isEmpty();
		assertThat(jobs.dead()).isEmpty();
	}

	@Test
	void runThatIsKilledBeforeTheSaveDoesTheStepAgain() {
		List<String> effects = new ArrayList<>();
		TestJobs jobs = saving(effects);
		jobs.killBeforeSave("charge");
		jobs.killAfterStep("mail");
		assertThat(jobs.runUntilIdle()).isEqualTo(3);
		assertThat(effects).containsExactly("charge", "charge", "mail");
		assertThat(jobs.waiting()).isEmpty();
	}

	@Test
	void runThatIsKilledIsLostWhateverItsHandlerDoesThen() {
		List<String> effects = new ArrayList<>();
		AtomicInteger attempts = new AtomicInteger();
		JobEngine engine = new JobEngineBuilder(new InMemoryJobStore()).clock(this.clock)
			.handler(HandlerDefinition.of("order", Void.class, (nothing, context) -> {
				attempts.set(context.attempt());
				try {
					context.step("charge", () -> effects.add("charge"));
				}
				catch (Throwable ex) {
					try {
						context.step("refund", () -> effects.add("refund"));
					}
					catch (LeaseLostException lost) {
						effects.add("lost");
					}
				}
				return JobResult.done();
			}))
			.build();
		engine.client().enqueue("order");
		TestJobs jobs = new TestJobs(engine, this.clock);
		jobs.killBeforeSave("charge");
		jobs.runUntilIdle();
		assertThat(effects).containsExactly("charge", "lost", "charge");
		assertThat(attempts).hasValue(2);
		assertThat(jobs.waiting()).isEmpty();
	}

	@Test
	void jobStartsAtAStepWithTheValuesOfThoseBefore() {
		List<String> effects = new ArrayList<>();
		JobEngine engine = new JobEngineBuilder(new InMemoryJobStore()).clock(this.clock)
			.handler(HandlerDefinition.of("order", Void.class, (nothing, context) -> {
				Greeting charged = context.step("charge", Greeting.class, () -> {
					effects.add("charge");
					return new Greeting("new");
				});
				context.step("reserve", () -> effects.add("reserve"));
				context.sleep("wait", Duration.ofDays(3));
				Greeting answer = context.await(ANSWER, 7, Duration.ofDays(14));
				context.step("mail", () -> effects.add("mail " + charged.name() + " " + answer.name()));
				return JobResult.done();
			}))
			.build();
		TestJobs jobs = new TestJobs(engine, this.clock);
		Map<String, @Nullable Object> values = new HashMap<>();
		values.put("charge", new Greeting("Ada"));
		values.put("wait", this.clock.instant());
		values.put("answer/7", new Greeting("yes"));
		String id = jobs.client().enqueue("order").id();
		jobs.startAt(id, "mail", values);
		assertThat(effects).isEmpty();
		assertThat(jobs.waiting()).singleElement()
			.extracting((job) -> job.trail().attempts().get(0).error())
			.asString()
			.contains("does 'reserve' before");
		values.put("reserve", null);
		jobs.startAt(id, "mail", values);
		jobs.advance(Duration.ofHours(1));
		assertThat(effects).containsExactly("mail Ada yes");
		assertThat(jobs.waiting()).isEmpty();
		assertThatIllegalStateException().isThrownBy(() -> jobs.startAt(id, "mail", values));
	}

	@Test
	void jobThatStartsAtASleepSavesItsValuesOnce() {
		List<Integer> lines = new ArrayList<>();
		JobEngine engine = new JobEngineBuilder(new InMemoryJobStore()).clock(this.clock)
			.handler(HandlerDefinition.of("import", Object.class, (payload, context) -> {
				Cursor<Integer> line = context.cursor("line", Integer.class, 0);
				lines.add(line.get());
				line.moveTo(line.get() + 1);
				context.sleep("wait", Duration.ofDays(3));
				return JobResult.done();
			}))
			.build();
		TestJobs jobs = new TestJobs(engine, this.clock);
		String id = jobs.client().enqueue("import").id();
		jobs.startAt(id, "wait", Map.of("line", 5));
		jobs.advance(Duration.ofDays(3));
		assertThat(lines).containsExactly(5, 6);
		assertThat(jobs.waiting()).isEmpty();
	}

	@Test
	void clearEndsTheWishToLoseARun() {
		List<String> effects = new ArrayList<>();
		TestJobs jobs = saving(effects);
		jobs.killAfterStep("charge");
		jobs.clear();
		jobs.client().enqueue("order");
		assertThat(jobs.runUntilIdle()).isOne();
	}

	@Test
	void advancingTicksEachTime() {
		List<Instant> ticks = new ArrayList<>();
		JobEngine engine = new JobEngineBuilder(new InMemoryJobStore()).clock(this.clock)
			.handler(HandlerDefinition.of("tick", Void.class, (nothing, context) -> {
				ticks.add(this.clock.instant());
				return JobResult.done();
			}))
			.recurringJob(RecurringJob.of("tick", Schedule.parse("@every 10s", ZoneOffset.UTC), "tick"))
			.build();
		Instant start = this.clock.instant();
		assertThat(new TestJobs(engine, this.clock).advance(Duration.ofMinutes(1))).isEqualTo(6);
		assertThat(ticks).containsExactly(start.plusSeconds(10), start.plusSeconds(20), start.plusSeconds(30),
				start.plusSeconds(40), start.plusSeconds(50), start.plusSeconds(60));
		assertThat(this.clock.instant()).isEqualTo(start.plusSeconds(60));
	}

	@Test
	void advancingRunsWhatJobsEnqueueForLaterInOrder() {
		List<String> order = new ArrayList<>();
		JobEngine[] engine = new JobEngine[1];
		engine[0] = new JobEngineBuilder(new InMemoryJobStore()).clock(this.clock)
			.handler(HandlerDefinition.of("first", Void.class, (nothing, context) -> {
				order.add("first");
				engine[0].client().enqueue("second", (options) -> options.delay(Duration.ofMinutes(1)));
				return JobResult.done();
			}))
			.handler(HandlerDefinition.of("second", Void.class, (nothing, context) -> {
				order.add("second");
				return JobResult.done();
			}))
			.build();
		engine[0].client().enqueue("first", (options) -> options.delay(Duration.ofMinutes(10)));
		engine[0].client().enqueue("second", (options) -> options.delay(Duration.ofMinutes(30)));
		assertThat(new TestJobs(engine[0], this.clock).advance(Duration.ofMinutes(11))).isEqualTo(2);
		assertThat(order).containsExactly("first", "second");
	}

	@Test
	void pausedJobsDoNotHoldTheClock() {
		this.engine.operations().queue("greet").pause();
		this.engine.client().enqueue(new Greeting("Ada"), (options) -> options.delay(Duration.ofMinutes(1)));
		Instant start = this.clock.instant();
		assertThat(this.jobs.advance(Duration.ofHours(1))).isZero();
		assertThat(this.clock.instant()).isEqualTo(start.plus(Duration.ofHours(1)));
	}

	@Test
	void advancingRunsWhatARateLetsStartLater() {
		List<Instant> starts = new ArrayList<>();
		JobEngine engine = new JobEngineBuilder(new InMemoryJobStore()).clock(this.clock)
			.handler(HandlerDefinition.of("send", Void.class, (nothing, context) -> {
				starts.add(this.clock.instant());
				return JobResult.done();
			}).with(HandlerOptions.of((set) -> set.rate(Rate.parse("1/10s")))))
			.build();
		for (int i = 0; i < 3; i++) {
			engine.client().enqueue("send");
		}
		assertThat(new TestJobs(engine, this.clock).advance(Duration.ofMinutes(1))).isEqualTo(3);
		assertThat(starts.get(1)).isBetween(starts.get(0).plusSeconds(10), starts.get(0).plusSeconds(11));
		assertThat(starts.get(2)).isBetween(starts.get(1).plusSeconds(10), starts.get(1).plusSeconds(11));
	}

	@Test
	void advancingRunsWhatWasHeldBackWhenItMayStart() {
		List<Instant> starts = new ArrayList<>();
		JobEngine engine = new JobEngineBuilder(new InMemoryJobStore()).clock(this.clock)
			.handler(HandlerDefinition.of("send", Void.class, (nothing, context) -> {
				starts.add(this.clock.instant());
				return (starts.size() < 3) ? JobResult.holdBack(Duration.ofSeconds(10)) : JobResult.done();
			}))
			.build();
		engine.client().enqueue("send", (options) -> options.lane("quiet"));
		Instant start = this.clock.instant();
		assertThat(new TestJobs(engine, this.clock).advance(Duration.ofMinutes(1))).isEqualTo(3);
		assertThat(starts).containsExactly(start, start.plusSeconds(10), start.plusSeconds(20));
	}

	@Test
	void tooManyInstantsAreRefused() {
		JobEngine engine = new JobEngineBuilder(new InMemoryJobStore()).clock(this.clock)
			.handler(HandlerDefinition.of("tick", Void.class, (nothing, context) -> JobResult.done()))
			.recurringJob(RecurringJob.of("tick", Schedule.parse("@every 1s", ZoneOffset.UTC), "tick"))
			.build();
		assertThatIllegalStateException()
			.isThrownBy(() -> new TestJobs(engine, this.clock).advance(Duration.ofDays(365)))
			.withMessageContaining("more than 100000 instants");
	}

	@Test
	void clearingLeavesNothing() {
		this.engine.client().enqueue(new Greeting("Ada"));
		this.jobs.clear();
		assertThat(this.jobs.waiting()).isEmpty();
		assertThat(this.jobs.runUntilIdle()).isZero();
	}

	private static final Signal<Greeting> ANSWER = Signal.of("answer", Greeting.class);

	private TestJobs waiting(List<String> got) {
		JobEngine engine = new JobEngineBuilder(new InMemoryJobStore()).clock(this.clock)
			.handler("ask", String.class, (name, context) -> {
				try {
					got.add(context.await(ANSWER, name, Duration.ofDays(14)).name());
				}
				catch (NotInTimeException ex) {
					got.add("no answer");
				}
				return JobResult.done();
			})
			.handler("follow", String.class, (job, context) -> {
				got.add("after " + context.await(job, String.class));
				return JobResult.done();
			})
			.handler(HandlerDefinition.of("first", Void.class, (nothing, context) -> JobResult.done("the first"))
				.with(HandlerOptions.of((set) -> set.keepResult(Duration.ofDays(1)))))
			.build();
		return new TestJobs(engine, this.clock);
	}

	@Test
	void jobWaitsForASignalThatTheTestSends() {
		List<String> got = new ArrayList<>();
		TestJobs jobs = waiting(got);
		String id = jobs.client().enqueue("ask", "Ada").id();
		assertThat(jobs.waitingFor(id)).isEmpty();
		jobs.runUntilIdle();
		assertThat(jobs.waitingFor(id)).containsExactly("answer/Ada");
		assertThat(jobs.send(ANSWER, "Ada", new Greeting("hello"))).isEqualTo(Signal.Sent.SENT);
		jobs.runUntilIdle();
		assertThat(got).containsExactly("hello");
		assertThat(jobs.waitingFor(id)).isEmpty();
	}

	@Test
	void jobWaitsForAnotherJob() {
		List<String> got = new ArrayList<>();
		TestJobs jobs = waiting(got);
		String first = jobs.client().enqueue("first", null, (options) -> options.delay(Duration.ofHours(1))).id();
		String id = jobs.client().enqueue("follow", first).id();
		jobs.runUntilIdle();
		assertThat(jobs.waitingFor(id)).containsExactly(first);
		jobs.advance(Duration.ofHours(1));
		assertThat(got).containsExactly("after the first");
	}

	@Test
	void advancingEndsTheTimeOfAJobThatWaits() {
		List<String> got = new ArrayList<>();
		TestJobs jobs = waiting(got);
		jobs.client().enqueue("ask", "Ada");
		jobs.advance(Duration.ofDays(14).minusSeconds(1));
		assertThat(got).isEmpty();
		jobs.advance(Duration.ofDays(1));
		assertThat(got).containsExactly("no answer");
	}

	@Test
	void clearingForgetsSignalsAndThoseWhoWaitForThem() {
		List<String> got = new ArrayList<>();
		TestJobs jobs = waiting(got);
		String id = jobs.client().enqueue("ask", "Ada").id();
		jobs.runUntilIdle();
		jobs.send(ANSWER, "Bob", new Greeting("first"));
		jobs.clear();
		assertThat(jobs.client().find(id)).isEmpty();
		assertThat(jobs.send(ANSWER, "Bob", new Greeting("second"))).isEqualTo(Signal.Sent.SENT);
		jobs.client().enqueue("ask", "Bob");
		jobs.runUntilIdle();
		assertThat(got).containsExactly("second");
	}

	@Test
	void clearingLiftsPausesAndLimits() {
		this.jobs.operations().queue("greet").pause();
		this.jobs.operations().queue("greet").limit(1);
		this.jobs.clear();
		this.engine.client().enqueue(new Greeting("Ada"));
		assertThat(this.jobs.runUntilIdle()).isOne();
		assertThat(this.engine.operations().queues()).allMatch((queue) -> queue.limit() < 0);
	}

	@Test
	void clearingRemovesTheRatesOfOperators() {
		this.jobs.runUntilIdle();
		QueueOperations queue = this.jobs.operations().queue("greet");
		queue.rate(Rate.parse("1/1d"));
		queue.rateOfLanes(Rate.parse("1/1d"));
		this.jobs.clear();
		for (int i = 0; i < 2; i++) {
			this.engine.client().enqueue(new Greeting("Ada"), (options) -> options.lane("same"));
		}
		assertThat(this.jobs.runUntilIdle()).isEqualTo(2);
	}

	@Test
	void clearingRemovesTheSettingsOfLanes() {
		QueueOperations queue = this.jobs.operations().queue("greet");
		queue.lane("paused").pause();
		queue.lane("limited").limit(1);
		queue.lane("weighted").weight(2);
		this.jobs.clear();
		assertThat(queue.lanesWithSettings(null, 10)).isEmpty();
		this.engine.client().enqueue(new Greeting("Ada"), (options) -> options.lane("paused"));
		assertThat(this.jobs.runUntilIdle()).isOne();
	}

	@Test
	void schedulesTickAfterAClear() {
		JobEngine engine = new JobEngineBuilder(new InMemoryJobStore()).clock(this.clock)
			.handler(HandlerDefinition.of("tick", Void.class, (nothing, context) -> JobResult.done()))
			.recurringJob(RecurringJob.of("tick", Schedule.parse("@daily", ZoneOffset.UTC), "tick"))
			.build();
		TestJobs jobs = new TestJobs(engine, this.clock);
		jobs.runUntilIdle();
		jobs.clear();
		assertThat(jobs.advance(Duration.ofDays(3))).isEqualTo(3);
	}

	record Greeting(String name) {

	}

}
