package dev.jobs.store.jdbc;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.jobs.JobRequest;
import dev.jobs.JobResult;
import dev.jobs.JobStoreException;
import dev.jobs.build.Ports;
import dev.jobs.engine.JobEngine;
import dev.jobs.engine.JobEngineBuilder;
import dev.jobs.engine.settings.HandlerDefinition;
import dev.jobs.store.JobStore;
import dev.jobs.store.NewJob;
import dev.jobs.store.contract.process.PgBouncer;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

import org.springframework.jdbc.datasource.DriverManagerDataSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests on PostgreSQL behind a PgBouncer that gives each transaction whatever connection
 * is free and knows nothing of prepared statements. The environment variable
 * {@code JOBS_TEST_PGBOUNCER} is its executable; without it they are skipped.
 */
class PgBouncerTests {

	private static final Instant NOW = Instant.parse("2030-01-01T00:00:00Z");

	private static final int CLIENTS = 8;

	private static final int CONNECTIONS = 3;

	private final JobStore direct = TestDatabase.POSTGRESQL.createStore();

	@TempDir
	private Path directory;

	private PgBouncer pooler;

	@BeforeEach
	void startPooler() throws IOException {
		URI server = URI.create(TestDatabase.POSTGRESQL.connectionUrl().substring("jdbc:".length()));
		this.pooler = PgBouncer.start(this.directory, server.getPort(), "transaction", CONNECTIONS);
	}

	@AfterEach
	void stopPooler() {
		this.pooler.close();
		TestDatabase.POSTGRESQL.destroyStore(this.direct);
	}

	private HikariDataSource throughPooler(String parameters) {
		HikariConfig config = new HikariConfig();
		config.setJdbcUrl(this.pooler.url("postgres", parameters));
		config.setMaximumPoolSize(CLIENTS);
		return new HikariDataSource(config);
	}

	private JobStore store(HikariDataSource dataSource) {
		return JdbcJobStore.builder(dataSource).tablePrefix(TestDatabase.POSTGRESQL.prefix(this.direct)).build();
	}

	@Test
	void withoutPreparedStatementsAllJobsRunOnce() {
		Map<String, AtomicInteger> runs = new ConcurrentHashMap<>();
		try (HikariDataSource dataSource = throughPooler("&prepareThreshold=0")) {
			JobEngine engine = new JobEngineBuilder(store(dataSource))
				.handler(HandlerDefinition.of("q", Object.class, (payload, context) -> {
					runs.computeIfAbsent(context.id(), (id) -> new AtomicInteger()).incrementAndGet();
					return JobResult.done();
				}))
				.build();
			engine.start();
			engine.client()
				.enqueueAll(IntStream.range(0, 3000).mapToObj((i) -> JobRequest.named("q").payload(i)).toList());
			Awaitility.await("all runs")
				.atMost(Duration.ofSeconds(60))
				.until(() -> runs.size() == 3000 && this.direct.inspector()
					.queues(Instant.now())
					.stream()
					.allMatch((queue) -> queue.ready() + queue.running() == 0));
			assertThat(engine.stop(Duration.ofSeconds(10)).settled()).isTrue();
		}
		assertThat(runs.values()).allSatisfy((count) -> assertThat(count).hasValue(1));
	}

	@Test
	void trialThatCannotEndWarnsOfThePooler() {
		Logger logger = (Logger) LoggerFactory.getLogger(PoolerTrial.class);
		ListAppender<ILoggingEvent> logged = new ListAppender<>();
		logged.start();
		logger.addAppender(logged);
		DriverManagerDataSource refused = new DriverManagerDataSource(
				"jdbc:postgresql://127.0.0.1:" + Ports.reserve() + "/postgres");
		try (HikariDataSource dataSource = throughPooler("")) {
			assertThat(PoolerTrial.mixesUpStatements(dataSource, refused)).isFalse();
		}
		finally {
			logger.detachAppender(logged);
		}
		assertThat(logged.list).filteredOn((event) -> event.getLevel() == Level.WARN)
			.singleElement()
			.satisfies((event) -> assertThat(event.getFormattedMessage()).contains("It is not known",
					"prepareThreshold=0"));
	}

	@Test
	void mixedUpStatementsAreNamedWithTheirSettingAndNothingAcknowledgedIsLost() throws Exception {
		List<String> acknowledged = new ArrayList<>();
		List<JobStoreException> faults = new ArrayList<>();
		ExecutorService threads = Executors.newFixedThreadPool(CLIENTS);
		try (HikariDataSource dataSource = throughPooler("&prepareThreshold=1")) {
			JobStore store = store(dataSource);
			AtomicInteger number = new AtomicInteger();
			Awaitility.await("a mix-up").atMost(Duration.ofSeconds(30)).until(() -> {
				List<Future<?>> calls = IntStream.range(0, CLIENTS).<Future<?>>mapToObj((i) -> threads.submit(() -> {
					String id = "job-" + number.incrementAndGet();
					try {
						store.enqueue(List.of(NewJob.of(id, "q", new byte[0], NOW)), NOW);
						synchronized (acknowledged) {
							acknowledged.add(id);
						}
					}
					catch (JobStoreException ex) {
						synchronized (faults) {
							faults.add(ex);
						}
					}
				})).toList();
				for (Future<?> call : calls) {
					call.get();
				}
				return faults.size() > 10 && acknowledged.size() > 1;
			});
		}
		finally {
			threads.shutdownNow();
		}
		// Some come as other errors, when the statements of a name take different values.
		assertThat(faults).filteredOn((fault) -> fault.getMessage().contains("PgBouncer"))
			.hasSizeGreaterThan(faults.size() / 2)
			.allSatisfy((fault) -> assertThat(fault).hasMessageContaining("prepareThreshold=0"));
		assertThat(acknowledged).allSatisfy((id) -> assertThat(this.direct.inspector().job(id, NOW)).isPresent());
	}

}
