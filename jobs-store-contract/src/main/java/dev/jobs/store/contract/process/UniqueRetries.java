package dev.jobs.store.contract.process;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.jobs.Enqueued.Outcome;
import dev.jobs.HandlerOptions;
import dev.jobs.JobResult;
import dev.jobs.RetryPolicy;
import dev.jobs.Unique;
import dev.jobs.Unique.Mode;
import dev.jobs.engine.JobEngine;
import dev.jobs.engine.JobEngineBuilder;
import dev.jobs.engine.settings.HandlerDefinition;
import dev.jobs.store.JobStore;
import dev.jobs.test.SettableClock;
import org.slf4j.LoggerFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

/**
 * Retries unique jobs and looks at what is logged meanwhile.
 */
public final class UniqueRetries {

	private final AtomicBoolean failing = new AtomicBoolean();

	private final SettableClock clock = SettableClock.at(Instant.parse("2030-01-01T00:00:00Z"));

	private final JobEngine engine;

	public UniqueRetries(JobStore store) {
		this.engine = new JobEngineBuilder(store).clock(this.clock)
			.handler(HandlerDefinition.of("a", Object.class, (payload, context) -> {
				if (this.failing.get()) {
					throw new IllegalStateException("as wanted");
				}
				return JobResult.done();
			}).with(HandlerOptions.of((set) -> set.retryPolicy(RetryPolicy.of((retry) -> retry.maxAttempts(4))))))
			.build();
	}

	/**
	 * Let a unique job of each mode fail until it is dead, retry it by hand and let it
	 * succeed, and expect no warning but those of its four failures.
	 */
	public void expectNoWarningsButThoseOfTheFailures() {
		logOnceThatTheClockIsNotThatOfTheStore();
		for (Mode mode : Mode.values()) {
			List<String> ids = new ArrayList<>();
			assertThat(warnings(() -> ids.add(failAndSucceed(Unique.byPayload((rule) -> rule.mode(mode))))))
				.as("%s", mode)
				.extracting(ILoggingEvent::getLevel, (line) -> line.getMDCPropertyMap().get("job.id"),
						(line) -> line.getMDCPropertyMap().get("job.attempt"))
				.containsExactly(tuple(Level.WARN, ids.get(0), "1"), tuple(Level.WARN, ids.get(0), "2"),
						tuple(Level.WARN, ids.get(0), "3"), tuple(Level.ERROR, ids.get(0), "4"));
		}
	}

	private void logOnceThatTheClockIsNotThatOfTheStore() {
		this.engine.client().enqueue("a");
		assertThat(this.engine.runUntilIdle()).isOne();
	}

	private String failAndSucceed(Unique unique) {
		this.failing.set(true);
		String id = this.engine.client().enqueue("a", unique.getMode(), (options) -> options.unique(unique)).id();
		for (int i = 0; i < 4; i++) {
			assertThat(this.engine.runUntilIdle()).isOne();
			this.clock.advance(Duration.ofHours(1));
		}
		this.failing.set(false);
		assertThat(this.engine.operations().job(id).retry()).isTrue();
		assertThat(this.engine.runUntilIdle()).isOne();
		assertThat(this.engine.client().enqueue("a", unique.getMode(), (options) -> options.unique(unique)).outcome())
			.isEqualTo(Outcome.NEW);
		assertThat(this.engine.runUntilIdle()).isOne();
		return id;
	}

	/**
	 * Return the warnings and errors of this thread, whoever has logged them.
	 */
	private static List<ILoggingEvent> warnings(Runnable work) {
		Logger root = (Logger) LoggerFactory.getLogger(Logger.ROOT_LOGGER_NAME);
		Logger jobs = (Logger) LoggerFactory.getLogger("dev.jobs");
		Level level = jobs.getLevel();
		ListAppender<ILoggingEvent> appender = new ListAppender<>() {

			@Override
			protected void append(ILoggingEvent event) {
				event.prepareForDeferredProcessing();
				super.append(event);
			}

		};
		appender.start();
		jobs.setLevel(Level.WARN);
		jobs.setAdditive(false);
		jobs.addAppender(appender);
		root.addAppender(appender);
		try {
			work.run();
		}
		finally {
			root.detachAppender(appender);
			jobs.detachAppender(appender);
			jobs.setAdditive(true);
			jobs.setLevel(level);
		}
		return appender.list.stream()
			.filter((event) -> event.getThreadName().equals(Thread.currentThread().getName()))
			.toList();
	}

}
