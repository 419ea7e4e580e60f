package dev.jobs.engine.upkeep;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.IntStream;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.jobs.JobRequest;
import dev.jobs.engine.JobEngine;
import dev.jobs.engine.JobEngineBuilder;
import dev.jobs.engine.settings.EngineSettings;
import dev.jobs.engine.settings.HandlerDefinition;
import dev.jobs.store.JobStore;
import dev.jobs.store.memory.InMemoryJobStore;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link Unserved}.
 */
class UnservedTests {

	private final Logger logger = (Logger) LoggerFactory.getLogger(Unserved.class);

	private final ListAppender<ILoggingEvent> appender = new ListAppender<>();

	private final JobStore store = new InMemoryJobStore();

	private final JobEngine engine = engine("greet");

	@BeforeEach
	void listen() {
		this.appender.list = new CopyOnWriteArrayList<>();
		this.appender.start();
		this.logger.setLevel(Level.INFO);
		this.logger.addAppender(this.appender);
		this.engine.start();
	}

	@AfterEach
	void stop() {
		this.engine.stopNow();
		this.logger.detachAppender(this.appender);
		this.logger.setLevel(null);
	}

	private JobEngine engine(String handler) {
		EngineSettings defaults = EngineSettings.defaults();
		return new JobEngineBuilder(this.store)
			.settings(defaults.withLease(Duration.ofSeconds(15), Duration.ofMillis(200)))
			.handler(HandlerDefinition.of(handler, Object.class, (payload, context) -> null))
			.build();
	}

	private static ConditionFactory await() {
		return Awaitility.await().atMost(Duration.ofSeconds(60));
	}

	private List<String> lines() {
		return this.appender.list.stream().map(ILoggingEvent::getFormattedMessage).toList();
	}

	@Test
	void nameWithoutAHandlerAnywhereIsLoggedOnceAndAgainWhenItHasOne() {
		this.engine.client().enqueue("great");
		await().until(() -> lines().size() == 1);
		assertThat(lines().get(0)).contains("No live worker has a handler for 'great' (1 waiting)")
			.contains("this one has handlers for greet");
		this.engine.client().enqueue("great");
		JobEngine other = engine("great");
		other.start();
		try {
			await().until(() -> {
				this.engine.wake();
				return lines().stream().anyMatch((line) -> line.contains("no longer wait"));
			});
			assertThat(lines()).hasSize(2);
			assertThat(lines().get(1)).endsWith(": great");
		}
		finally {
			other.stopNow();
		}
	}

	/** The worker looks by itself now and then, which is not waited for here. */
	@Test
	void nameThatAProcessWithoutAWorkerEnqueuesIsLoggedByOneThatHas() {
		JobEngine producer = new JobEngineBuilder(this.store).build();
		producer.client().enqueue("great");
		await().until(() -> {
			this.engine.wake();
			return !lines().isEmpty();
		});
		assertThat(lines()).singleElement().asString().contains("'great' (1 waiting)");
		producer.closeClient();
	}

	@Test
	void manyNamesAreOneLine() {
		this.engine.client().enqueueAll(IntStream.range(0, 50).mapToObj((i) -> JobRequest.named("name-" + i)).toList());
		await().until(() -> lines().size() == 1);
		assertThat(lines().get(0)).contains("'name-0'").contains(" and 40 more");
	}

	@Test
	void nameThatAnotherWorkerServesIsNotLogged() {
		JobEngine other = engine("hello");
		other.start();
		try {
			other.operations().queue("hello").pause();
			await().until(() -> {
				this.engine.client().enqueue("hello");
				return this.engine.inspector()
					.queues(Instant.now())
					.stream()
					.anyMatch((queue) -> queue.name().equals("hello") && queue.served());
			});
			this.engine.client().enqueue("great");
			await().until(() -> !lines().isEmpty());
			assertThat(lines()).singleElement().asString().contains("'great'").doesNotContain("'hello'");
		}
		finally {
			other.stopNow();
		}
	}

}
