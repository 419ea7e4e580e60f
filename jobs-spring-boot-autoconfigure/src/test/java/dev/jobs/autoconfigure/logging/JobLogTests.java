package dev.jobs.autoconfigure.logging;

import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.util.ContextInitializer;
import ch.qos.logback.core.Appender;
import ch.qos.logback.core.joran.spi.JoranException;
import dev.jobs.Job;
import dev.jobs.JobClient;
import dev.jobs.JobHandler;
import dev.jobs.JobState;
import dev.jobs.Trail;
import dev.jobs.autoconfigure.Contexts;
import dev.jobs.autoconfigure.JobEngineCustomizer;
import dev.jobs.engine.JobEngine;
import dev.jobs.test.ExpectsFaults;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.MDC;

import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link JobLogAppender}.
 */
@ExpectsFaults("it broke")
class JobLogTests {

	private final ApplicationContextRunner runner = Contexts.runner()
		.withPropertyValues("jobs.worker.enabled=false", "jobs.handlers.work.max-attempts=1")
		.withBean(Handlers.class);

	@Test
	void newestLinesAreKeptWithAFailedAttempt() {
		this.runner.run((context) -> {
			assertThat(log(context.getBean(JobEngine.class)))
				.matches("(?s)\\S+Z WARN JobLogTests: number 1\\n\\S+Z ERROR JobLogTests: it broke "
						+ "\\(java.lang.IllegalStateException: why\\)\\n\\S+Z WARN JobLogTests: of another thread");
			JobLogAppender own = context.getBean(JobLogAppender.class);
			assertThat(appenders()).containsOnlyOnce(own);
			context.getSourceApplicationContext().close();
			assertThat(appenders()).doesNotContain(own);
		});
	}

	/** The context of another application in the same process stays open meanwhile. */
	@Test
	void linesAreKeptAfterTheConfigurationOfLogsWasReadAgain() {
		this.runner.run((other) -> this.runner.run((context) -> {
			JobLogAppender own = context.getBean(JobLogAppender.class);
			readConfigurationAgain();
			readConfigurationAgain();
			assertThat(appenders()).containsOnlyOnce(own);
			assertThat(log(context.getBean(JobEngine.class))).contains("number 1", "it broke", "of another thread");
			context.getSourceApplicationContext().close();
			assertThat(appenders()).doesNotContain(own);
			readConfigurationAgain();
			assertThat(appenders()).doesNotContain(own).contains(other.getBean(JobLogAppender.class));
		}));
	}

	private static void readConfigurationAgain() throws JoranException {
		LoggerContext loggers = (LoggerContext) LoggerFactory.getILoggerFactory();
		loggers.reset();
		new ContextInitializer(loggers).autoConfig();
	}

	@Test
	void faultOfTheEngineIsNotThatOfTheAppender() {
		this.runner.withBean(JobEngineCustomizer.class, () -> (builder) -> {
			throw new IllegalStateException("why");
		})
			.run((context) -> assertThat(context.getStartupFailure()).hasRootCauseMessage("why")
				.hasMessageNotContaining("jobLogAppender"));
	}

	@Test
	void nothingIsKeptIfNotWanted() {
		this.runner.withPropertyValues("jobs.logs.enabled=false").run((context) -> {
			assertThat(context).doesNotHaveBean(JobLogAppender.class);
			assertThat(log(context.getBean(JobEngine.class))).isNull();
		});
	}

	@Test
	void linesOfAJobThatSucceededAreKeptWithItsHistory() {
		this.runner.withPropertyValues("jobs.handlers.succeed.keep-history=true").run((context) -> {
			JobEngine engine = context.getBean(JobEngine.class);
			String id = engine.client().enqueue("succeed", Map.of()).id();
			engine.runUntilIdle();
			Job job = engine.client().find(id).orElseThrow();
			assertThat(job.state()).isEqualTo(JobState.SUCCEEDED);
			assertThat(job.trail().attempts()).singleElement()
				.satisfies((attempt) -> assertThat(attempt.log()).contains("it went well"));
		});
	}

	private static @Nullable String log(JobEngine engine) {
		JobClient client = engine.client();
		String id = client.enqueue("work", Map.of()).id();
		assertThat(engine.runUntilIdle()).isOne();
		Job job = client.find(id).orElseThrow();
		Trail.Attempt attempt = job.trail().lastFailure();
		assertThat(attempt).isNotNull();
		return attempt.log();
	}

	private static List<Appender<ILoggingEvent>> appenders() {
		Iterator<Appender<ILoggingEvent>> all = ((LoggerContext) LoggerFactory.getILoggerFactory())
			.getLogger(Logger.ROOT_LOGGER_NAME)
			.iteratorForAppenders();
		Stream<Appender<ILoggingEvent>> stream = StreamSupport
			.stream(((Iterable<Appender<ILoggingEvent>>) () -> all).spliterator(), false);
		return stream.filter(JobLogAppender.class::isInstance).toList();
	}

	static class Handlers {

		private static final Logger logger = LoggerFactory.getLogger(JobLogTests.class);

		@JobHandler("succeed")
		void succeed() {
			logger.warn("it went well");
		}

		@JobHandler("work")
		void work() throws InterruptedException {
			logger.debug("below the level");
			logger.warn("number {}", 1);
			logger.error("it broke", new IllegalStateException("why"));
			Map<String, String> context = MDC.getCopyOfContextMap();
			Thread stranger = new Thread(() -> logger.warn("of a stranger"));
			stranger.start();
			stranger.join();
			Thread friend = new Thread(() -> {
				MDC.setContextMap(context);
				logger.warn("of another thread");
			});
			friend.start();
			friend.join();
			throw new IllegalStateException("no");
		}

	}

}
