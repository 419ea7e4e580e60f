package dev.jobs.engine;

import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.ThrowableProxyUtil;
import ch.qos.logback.core.read.ListAppender;
import dev.jobs.Backoff;
import dev.jobs.Handler;
import dev.jobs.JobContext;
import dev.jobs.JobResult;
import dev.jobs.RetryPolicy;
import dev.jobs.cron.Misfire;
import dev.jobs.cron.RecurringJob;
import dev.jobs.cron.Schedule;
import dev.jobs.store.JobStore;
import dev.jobs.store.memory.InMemoryJobStore;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;
import org.slf4j.MDC;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

/**
 * Tests for what the engine logs of the life of a job.
 */
class LifecycleLogTests {

	private final Logger logger = (Logger) LoggerFactory.getLogger(JobEngine.class.getPackageName());

	private final ListAppender<ILoggingEvent> appender = new ListAppender<>();

	@BeforeEach
	void listen() {
		this.appender.start();
		this.logger.addAppender(this.appender);
	}

	@AfterEach
	void stop() {
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

	/** G13. */
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
			JobEngine.builder(store)
				.clock(now::get)
				.handler(HandlerDefinition.of("tick", Map.class, (payload, context) -> null))
				.recurringJob(new RecurringJob("tick", Schedule.parse("@every 10s", ZoneOffset.UTC), "tick", null,
						Misfire.parse("run-once")))
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

	private List<String> stepsOf(String id) {
		return this.appender.list.stream()
			.filter((line) -> id.equals(line.getMDCPropertyMap().get("job.id")))
			.map((line) -> line.getFormattedMessage().replaceAll("( failed| is dead).*", "$1"))
			.toList();
	}

	private static JobEngine engineThatFails() {
		return engineWith(LifecycleLogTests::fail);
	}

	private static JobEngine engineWith(Handler<Map> handler) {
		return JobEngine.builder(new InMemoryJobStore())
			.handler(HandlerDefinition.of("a", Map.class, handler)
				.with(HandlerOptions.defaults()
					.withRetryPolicy(
							RetryPolicy.defaults().withMaxAttempts(2).withBackoff(Backoff.fixed(Duration.ZERO)))))
			.handler(HandlerDefinition.of("b", Map.class, (payload, context) -> null))
			.build();
	}

	private static JobResult fail(Map<?, ?> payload, JobContext context) {
		throw new IllegalStateException("no");
	}

}
