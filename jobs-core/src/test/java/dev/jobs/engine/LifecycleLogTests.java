package dev.jobs.engine;

import java.time.Duration;
import java.util.List;
import java.util.Map;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.jobs.Backoff;
import dev.jobs.JobContext;
import dev.jobs.JobResult;
import dev.jobs.RetryPolicy;
import dev.jobs.store.memory.InMemoryJobStore;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
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
		return JobEngine.builder(new InMemoryJobStore())
			.handler(HandlerDefinition.of("a", Map.class, LifecycleLogTests::fail)
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
