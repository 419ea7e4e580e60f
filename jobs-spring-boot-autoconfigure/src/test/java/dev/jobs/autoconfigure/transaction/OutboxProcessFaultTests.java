package dev.jobs.autoconfigure.transaction;

import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import dev.jobs.autoconfigure.Postgres;
import dev.jobs.autoconfigure.Redis;
import dev.jobs.store.NewJob;
import dev.jobs.store.Outbox;
import dev.jobs.store.contract.process.JobsProcess;
import dev.jobs.store.jdbc.Database;
import dev.jobs.store.jdbc.JdbcJobStore;
import dev.jobs.store.jdbc.JdbcSchema;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import org.springframework.core.io.ByteArrayResource;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.datasource.init.ResourceDatabasePopulator;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for processes that are killed while they carry jobs from PostgreSQL to Redis.
 */
class OutboxProcessFaultTests {

	private static final Duration PATIENCE = Duration.ofSeconds(180);

	private static final int AT_ONCE = 20;

	private static final String PREFIX = "jobs_";

	private static Postgres server;

	@TempDir
	Path directory;

	private String database;

	private DriverManagerDataSource dataSource;

	@BeforeAll
	static void startServer() {
		server = Postgres.start();
	}

	@AfterAll
	static void stopServer() {
		server.close();
	}

	private Outbox createOutbox() {
		this.database = server.createDatabase();
		this.dataSource = new DriverManagerDataSource(this.database);
		byte[] schema = JdbcSchema.ofOutbox(Database.POSTGRESQL, PREFIX).getBytes();
		new ResourceDatabasePopulator(new ByteArrayResource(schema)).execute(this.dataSource);
		return JdbcJobStore.builder(this.dataSource).tablePrefix(PREFIX).buildOutbox();
	}

	@Test
	void killedProcessLosesNoCommittedJobAndRepeatsNoneThatWasDone() {
		Outbox outbox = createOutbox();
		Redis redis = Redis.start();
		int port = redis.port();
		AtomicBoolean goOn = new AtomicBoolean(true);
		CompletableFuture<Set<String>> writer = CompletableFuture.supplyAsync(() -> write(outbox, goOn));
		try {
			Set<String> done = new HashSet<>();
			Set<String> run = new HashSet<>();
			for (int i = 0; i < 3; i++) {
				try (JobsProcess process = start(port)) {
					process.await("settled", 300);
					process.kill();
					assertThat(started(process)).noneMatch(done::contains);
					done.addAll(settled(process));
					run.addAll(started(process));
				}
			}
			assertThat(writer).isNotDone();
			goOn.set(false);
			Set<String> written = writer.orTimeout(30, TimeUnit.SECONDS).join();
			try (JobsProcess process = start(port)) {
				Awaitility.await()
					.atMost(PATIENCE)
					.pollInterval(Duration.ofMillis(100))
					.until(() -> outbox.contents().waiting() == 0 && jobsIn(port) == 0);
				assertThat(started(process)).noneMatch(done::contains);
				run.addAll(started(process));
			}
			assertThat(run).isEqualTo(written);
		}
		finally {
			goOn.set(false);
			redis.close();
		}
	}

	/**
	 * Commit jobs all the time, so that whenever a process is killed some are on their
	 * way.
	 */
	private Set<String> write(Outbox outbox, AtomicBoolean goOn) {
		TransactionTemplate transactions = new TransactionTemplate(new DataSourceTransactionManager(this.dataSource));
		Set<String> written = new HashSet<>();
		while (goOn.get()) {
			List<NewJob> jobs = IntStream.range(written.size(), written.size() + AT_ONCE)
				.mapToObj((i) -> NewJob.of("job" + i, "work", "1".getBytes(), Instant.now()))
				.toList();
			transactions.executeWithoutResult((status) -> assertThat(outbox.write(jobs)).isTrue());
			jobs.forEach((job) -> written.add(job.id()));
			Awaitility.await().atMost(PATIENCE).until(() -> outbox.contents().waiting() < 200 || !goOn.get());
		}
		return written;
	}

	private JobsProcess start(int port) {
		return JobsProcess
			.start(this.directory, "server=redis://127.0.0.1:" + port, "namespace=outbox", "lease=1500", "beat=400",
					"outbox=" + this.database, "prefix=" + PREFIX)
			.await("up");
	}

	/**
	 * Return how many jobs are not done. What the killed processes told last need not be
	 * all that they did.
	 */
	private static long jobsIn(int port) {
		try (RedisClient client = RedisClient.create(RedisURI.create("127.0.0.1", port));
				StatefulRedisConnection<String, String> connection = client.connect()) {
			return connection.sync().hlen("{outbox:0}:jobs");
		}
	}

	private static Set<String> started(JobsProcess process) {
		return ids(process.reported("start"));
	}

	private static Set<String> settled(JobsProcess process) {
		return ids(process.reported("settled"));
	}

	private static Set<String> ids(List<String> lines) {
		return lines.stream().map((line) -> line.split(" ")[0]).collect(Collectors.toSet());
	}

}
