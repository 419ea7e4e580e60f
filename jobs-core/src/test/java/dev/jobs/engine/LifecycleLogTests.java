package dev.jobs.engine;

import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.ThrowableProxyUtil;
import ch.qos.logback.core.read.ListAppender;
import dev.jobs.Backoff;
import dev.jobs.Handler;
import dev.jobs.HandlerOptions;
import dev.jobs.JobContext;
import dev.jobs.JobEvent;
import dev.jobs.JobResult;
import dev.jobs.RetryPolicy;
import dev.jobs.cron.RecurringJob;
import dev.jobs.cron.Schedule;
import dev.jobs.engine.settings.EngineSettings;
import dev.jobs.engine.settings.EngineSettings.Retention;
import dev.jobs.engine.settings.HandlerDefinition;
import dev.jobs.store.ClaimRequest;
import dev.jobs.store.ClaimRequest.Quota;
import dev.jobs.store.JobStore;
import dev.jobs.store.TakeOver;
import dev.jobs.store.WorkerBeat;
import dev.jobs.store.memory.InMemoryJobStore;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;
import org.slf4j.MDC;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

/**
 * Tests for the engine's log of the life of a job.
 */
class LifecycleLogTests {

	private final Logger logger = (Logger) LoggerFactory.getLogger(JobEngine.class.getPackageName());

	private final ListAppender<ILoggingEvent> appender = new ListAppender<>();

	private final CountDownLatch cancelled = new CountDownLatch(1);

	private JobEngine started;

	@BeforeEach
	void listen() {
		this.appender.start();
		this.logger.addAppender(this.appender);
	}

	@AfterEach
	void stop() {
		if (this.started != null) {
			this.started.stopNow();
		}
		this.logger.detachAppender(this.appender);
		this.logger.setLevel(null);
		MDC.clear();
	}

	@Test
	void failureAndDeathAreLoggedOnceEachInTheContextOfTheirRun() {
		JobEngine engine = engineThatFails();
		String id = engine.client().enqueue("a").id();
		engine.runUntilIdle();
		List<ILoggingEvent> lines = this.appender.list.stream()
			.filter((line) -> line.getLevel().isGreaterOrEqual(Level.WARN))
			.toList();
		assertThat(lines).extracting(ILoggingEvent::getLevel).containsExactly(Level.WARN, Level.ERROR);
		assertThat(lines).extracting((line) -> line.getMDCPropertyMap().get("job.attempt")).containsExactly("1", "2");
		assertThat(lines).allSatisfy(
				(line) -> assertThat(line.getMDCPropertyMap()).contains(entry("job.id", id), entry("job.name", "a"))
					.containsKey("job.token"));
	}

	@Test
	void endIsLoggedWithWhatInterceptorsHadPutIntoTheLogContext() {
		JobEngine engine = builderWith(LifecycleLogTests::fail).runInterceptors(List.of((context, next) -> {
			try (MDC.MDCCloseable closeable = MDC.putCloseable("tenant", "acme")) {
				return next.proceed();
			}
		})).build();
		engine.client().enqueue("a");
		engine.runUntilIdle();
		assertThat(this.appender.list).filteredOn((line) -> line.getLevel().isGreaterOrEqual(Level.WARN))
			.hasSize(2)
			.allSatisfy((line) -> assertThat(line.getMDCPropertyMap()).containsEntry("tenant", "acme"));
		assertThat(MDC.getCopyOfContextMap()).isNullOrEmpty();
	}

	@Test
	void failureIsLoggedWithItsStack() {
		JobEngine engine = engineThatFails();
		engine.client().enqueue("a");
		engine.runUntilIdle();
		assertThat(this.appender.list).filteredOn((line) -> line.getLevel().isGreaterOrEqual(Level.WARN))
			.hasSize(2)
			.allSatisfy((line) -> {
				assertThat(line.getThrowableProxy().getClassName()).isEqualTo(IllegalStateException.class.getName());
				assertThat(line.getThrowableProxy().getMessage()).isEqualTo("no");
				assertThat(line.getThrowableProxy().getStackTraceElementProxyArray())
					.anySatisfy((element) -> assertThat(element.getSTEAsString()).contains("LifecycleLogTests.fail"));
			});
	}

	@ParameterizedTest
	@ValueSource(strings = { "\r\n", "\n", "\r", "\u2028", "\u2029", "\u0085", "\u000b" })
	void textOfAnExceptionCannotPassForALine(String end) {
		String forged = "2030-01-01 INFO Dashboard: admin did delete";
		RuntimeException cause = new IllegalArgumentException("inner" + end + forged);
		RuntimeException thrown = new IllegalStateException("outer\u001b[31m\u202e" + end + forged, cause);
		thrown.addSuppressed(new IllegalStateException("beside" + end + forged));
		JobEngine engine = engineWith((payload, context) -> {
			throw thrown;
		});
		engine.client().enqueue("a");
		engine.runUntilIdle();
		List<ILoggingEvent> events = this.appender.list.stream()
			.filter((line) -> line.getLevel().isGreaterOrEqual(Level.WARN))
			.toList();
		assertThat(events).hasSize(2);
		for (ILoggingEvent event : events) {
			String logged = event.getFormattedMessage() + "\n" + ThrowableProxyUtil.asString(event.getThrowableProxy());
			assertThat(logged.split("\\R|[\\u2028\\u2029]")).noneMatch((line) -> line.startsWith(forged))
				.anyMatch((line) -> line.contains("LifecycleLogTests"));
			assertThat(logged).contains(forged, "inner", "beside", IllegalArgumentException.class.getName())
				.doesNotContain("\u001b", "\u202e");
		}
	}

	@Test
	void exceptionThatIsItsOwnCauseIsLogged() {
		RuntimeException one = new IllegalStateException("one\n");
		RuntimeException other = new IllegalStateException("other\n", one);
		one.initCause(other);
		JobEngine engine = engineWith((payload, context) -> {
			throw one;
		});
		engine.client().enqueue("a");
		engine.runUntilIdle();
		assertThat(this.appender.list).filteredOn((line) -> line.getLevel() == Level.ERROR)
			.singleElement()
			.satisfies((line) -> assertThat(ThrowableProxyUtil.asString(line.getThrowableProxy())).contains("one",
					"other"));
	}

	@Test
	void ticksMissedDuringARestartAreNoReasonToWorry() {
		this.logger.setLevel(Level.INFO);
		JobStore store = new InMemoryJobStore();
		AtomicReference<Instant> now = new AtomicReference<>(Instant.parse("2030-01-01T00:00:00Z"));
		for (Duration absence : List.of(Duration.ZERO, Duration.ofMinutes(2), Duration.ofMinutes(20))) {
			now.updateAndGet((instant) -> instant.plus(absence));
			new JobEngineBuilder(store).clock(now::get)
				.handler(HandlerDefinition.of("tick", Object.class, (payload, context) -> null))
				.recurringJob(RecurringJob.of("tick", Schedule.parse("@every 10s", ZoneOffset.UTC), "tick"))
				.build()
				.runUntilIdle();
		}
		assertThat(this.appender.list).filteredOn((line) -> line.getFormattedMessage().contains("missed ticks"))
			.extracting(ILoggingEvent::getLevel)
			.containsExactly(Level.INFO, Level.WARN);
	}

	@Test
	void everyStepIsOneLineThatNamesTheJob() {
		this.logger.setLevel(Level.DEBUG);
		JobEngine engine = engineThatFails();
		MDC.put("request", "7");
		String id = engine.client().enqueue("a").id();
		assertThat(MDC.getCopyOfContextMap()).isEqualTo(Map.of("request", "7"));
		engine.runUntilIdle();
		assertThat(stepsOf(id)).containsExactly("Job 'a' " + id + ": Accepted", "Job 'a' " + id + ": Started",
				"Job 'a' " + id + " failed", "Job 'a' " + id + ": Started", "Job 'a' " + id + " is dead");
		String other = engine.client().enqueue("b").id();
		engine.runUntilIdle();
		assertThat(stepsOf(other)).containsExactly("Job 'b' " + other + ": Accepted", "Job 'b' " + other + ": Started",
				"Job 'b' " + other + ": Succeeded");
	}

	@Test
	void snoozeIsLoggedWithItsMessage() {
		this.logger.setLevel(Level.INFO);
		JobEngine engine = engineWith(
				(payload, context) -> JobResult.snooze().message("others first\n2030-01-01 INFO forged"));
		String id = engine.client().enqueue("a").id();
		engine.runUntilIdle();
		assertThat(this.appender.list).filteredOn((line) -> line.getFormattedMessage().contains("others first"))
			.singleElement()
			.satisfies((line) -> {
				assertThat(line.getFormattedMessage()).startsWith("Job 'a' " + id + " is put off until ")
					.endsWith(": others first 2030-01-01 INFO forged");
				assertThat(line.getLevel()).isEqualTo(Level.INFO);
			});
	}

	@ParameterizedTest
	@MethodSource("postponements")
	void postponementIsOneLine(JobResult result, List<String> steps) {
		this.logger.setLevel(Level.DEBUG);
		JobEngine engine = engineWith((payload, context) -> result);
		String id = engine.client().enqueue("a").id();
		engine.runUntilIdle();
		assertThat(stepsOf(id)).isEqualTo(steps.stream().map((step) -> "Job 'a' " + id + step).toList());
	}

	static Stream<Arguments> postponements() {
		return Stream.of(
				Arguments.of(JobResult.snooze(Duration.ofHours(1)), List.of(": Accepted", ": Started", ": Postponed")),
				Arguments.of(JobResult.snooze().message("later"),
						List.of(": Accepted", ": Started", " is put off", ": Postponed")));
	}

	@Test
	void cancellationOfARunIsOneLine() throws Exception {
		String id = startHolding();
		this.started.client().cancel(id);
		assertThat(this.cancelled.await(30, TimeUnit.SECONDS)).isTrue();
		this.started.stopNow();
		// The caller logs the enqueue when a thread may have begun.
		assertThat(stepsOf(id)).containsExactlyInAnyOrder("Job 'a' " + id + ": Accepted", "Job 'a' " + id + ": Started",
				"Job 'a' " + id + ": Cancelled");
	}

	@Test
	void releaseOfARunAtTheStopIsOneLine() throws Exception {
		String id = startHolding();
		this.started.stop(Duration.ZERO);
		assertThat(stepsOf(id)).containsExactlyInAnyOrder("Job 'a' " + id + ": Accepted", "Job 'a' " + id + ": Started",
				"Job 'a' " + id + ": Released");
	}

	/** Listeners hear of a step once it is logged. */
	private String startHolding() throws InterruptedException {
		this.logger.setLevel(Level.DEBUG);
		CountDownLatch begun = new CountDownLatch(1);
		this.started = new JobEngineBuilder(new InMemoryJobStore())
			.handler(HandlerDefinition.of("a", Object.class, (payload, context) -> {
				begun.countDown();
				new CountDownLatch(1).await();
				return null;
			}))
			.listeners(List.of((event) -> {
				if (event instanceof JobEvent.Cancelled) {
					this.cancelled.countDown();
				}
			}))
			.build();
		this.started.start();
		String id = this.started.client().enqueue("a").id();
		assertThat(begun.await(30, TimeUnit.SECONDS)).isTrue();
		return id;
	}

	/** A rescue is more than a detail, so it is no line at DEBUG. */
	@Test
	void rescueIsOneLineThatNamesTheJob() {
		this.logger.setLevel(Level.DEBUG);
		JobStore store = new InMemoryJobStore();
		AtomicReference<Instant> now = new AtomicReference<>(Instant.parse("2030-01-01T00:00:00Z"));
		JobEngine engine = new JobEngineBuilder(store).clock(now::get)
			.handler(HandlerDefinition.of("a", Object.class, (payload, context) -> null))
			.build();
		String id = engine.client().enqueue("a").id();
		Duration lease = EngineSettings.defaults().lease();
		store.beat(new WorkerBeat("gone", lease, null, List.of(), false, now.get()));
		assertThat(store.claim(new ClaimRequest("gone", List.of(Quota.of("a", 1)), 1, now.get())).claims()).hasSize(1);
		now.updateAndGet((instant) -> instant.plus(lease).plusMillis(1));
		assertThat(engine.runUntilIdle()).isOne();
		assertThat(this.appender.list).filteredOn((line) -> line.getFormattedMessage().contains("worker vanished"))
			.singleElement()
			.satisfies((line) -> {
				assertThat(line.getFormattedMessage()).startsWith("Job 'a' " + id + " returned to its queue");
				assertThat(line.getLevel()).isEqualTo(Level.WARN);
			});
	}

	@Test
	void endOfAJobThatIsNoLongerHeldIsLogged() {
		this.logger.setLevel(Level.INFO);
		JobStore store = new InMemoryJobStore();
		AtomicReference<Instant> now = new AtomicReference<>(Instant.parse("2030-01-01T00:00:00Z"));
		Duration lease = EngineSettings.defaults().lease();
		JobEngine engine = new JobEngineBuilder(store).clock(now::get)
			.handler(HandlerDefinition.of("a", Object.class, (payload, context) -> {
				now.updateAndGet((instant) -> instant.plus(lease).plusMillis(1));
				store.beat(new WorkerBeat("other", lease, null, List.of(), false, now.get()));
				assertThat(store.takeOver(new TakeOver("other", Set.of("a"), Map.of(), 10, now.get())).claims())
					.hasSize(1);
				return JobResult.done();
			}))
			.build();
		String id = engine.client().enqueue("a").id();
		engine.runUntilIdle();
		assertThat(this.appender.list)
			.filteredOn((line) -> line.getFormattedMessage().contains("was no longer held when its run ended"))
			.singleElement()
			.satisfies((line) -> {
				assertThat(line.getFormattedMessage()).startsWith("Job 'a' " + id).endsWith("the end changed nothing");
				assertThat(line.getLevel()).isEqualTo(Level.INFO);
			});
	}

	/**
	 * The store ends such jobs, of which there may be many, and returns their number.
	 */
	@Test
	void jobsThatExpireAreLoggedByTheirNumber() {
		this.logger.setLevel(Level.INFO);
		AtomicReference<Instant> now = new AtomicReference<>(Instant.parse("2030-01-01T00:00:00Z"));
		JobEngine engine = new JobEngineBuilder(new InMemoryJobStore()).clock(now::get)
			.handler(HandlerDefinition.of("a", Object.class, (payload, context) -> null))
			.settings(EngineSettings.defaults()
				.withRetention(new Retention(Duration.ofDays(1), 0, null, 0, Duration.ofHours(1))))
			.build();
		engine.client().enqueue("unknown");
		engine.client().enqueue("unknown");
		now.updateAndGet((instant) -> instant.plus(Duration.ofHours(2)));
		engine.runUntilIdle();
		now.updateAndGet((instant) -> instant.plus(Duration.ofDays(2)));
		engine.runUntilIdle();
		assertThat(this.appender.list).extracting(ILoggingEvent::getFormattedMessage)
			.filteredOn((line) -> line.startsWith("Pruned"))
			.containsExactly("Pruned 0 dead and 0 ended jobs; 2 died because no worker handles them",
					"Pruned 2 dead and 0 ended jobs; 0 died because no worker handles them");
	}

	private List<String> stepsOf(String id) {
		return this.appender.list.stream()
			.filter((line) -> id.equals(line.getMDCPropertyMap().get("job.id")))
			.map((line) -> line.getFormattedMessage().replaceAll("( failed| is dead| is put off).*", "$1"))
			.toList();
	}

	private static JobEngine engineThatFails() {
		return engineWith(LifecycleLogTests::fail);
	}

	private static JobEngine engineWith(Handler<Object> handler) {
		return builderWith(handler).build();
	}

	private static JobEngineBuilder builderWith(Handler<Object> handler) {
		return new JobEngineBuilder(new InMemoryJobStore())
			.handler(HandlerDefinition.of("a", Object.class, handler)
				.with(HandlerOptions.of((set) -> set.retryPolicy(
						RetryPolicy.of((retry) -> retry.maxAttempts(2).backoff(Backoff.fixed(Duration.ZERO)))))))
			.handler(HandlerDefinition.of("b", Object.class, (payload, context) -> null));
	}

	private static JobResult fail(Object payload, JobContext context) {
		throw new IllegalStateException("no");
	}

}
