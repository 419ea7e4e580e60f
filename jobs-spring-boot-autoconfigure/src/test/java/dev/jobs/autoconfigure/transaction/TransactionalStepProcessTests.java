package dev.jobs.autoconfigure.transaction;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.Stream;

import dev.jobs.JobFilter;
import dev.jobs.JobRequest;
import dev.jobs.autoconfigure.Postgres;
import dev.jobs.autoconfigure.Redis;
import dev.jobs.engine.JobEngine;
import dev.jobs.engine.JobEngineBuilder;
import dev.jobs.store.JobStore;
import dev.jobs.store.contract.process.JobsProcess;
import dev.jobs.store.jdbc.Database;
import dev.jobs.store.jdbc.JdbcSchema;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import org.springframework.core.io.ByteArrayResource;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.datasource.init.ResourceDatabasePopulator;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for processes that are killed and frozen while they do transactional steps.
 */
class TransactionalStepProcessTests {

	private static final Duration PATIENCE = Duration.ofSeconds(180);

	private static final int JOBS = 40;

	/** As many as a job of these processes does. */
	private static final int STEPS = 20;

	private static Postgres postgres;

	private final String url = postgres.createDatabase();

	private final DriverManagerDataSource dataSource = new DriverManagerDataSource(this.url);

	private final List<JobsProcess> processes = new ArrayList<>();

	@TempDir
	Path directory;

	@BeforeAll
	static void startServer() {
		postgres = Postgres.start();
	}

	@AfterAll
	static void stopServer() {
		postgres.close();
	}

	@AfterEach
	void stopProcesses() {
		this.processes.forEach(JobsProcess::close);
	}

	private void create(String schema) {
		String all = schema + "create table effects (name varchar(100));";
		new ResourceDatabasePopulator(new ByteArrayResource(all.getBytes())).execute(this.dataSource);
	}

	@Test
	void eachStepIsDoneOnceWithJobsInTheDatabase() {
		create(JdbcSchema.of(Database.POSTGRESQL, "jobs_"));
		killAndFreeze("server=" + this.url, "namespace=jobs_");
	}

	@Test
	void eachStepIsDoneOnceWithJobsInRedis() {
		create(JdbcSchema.ofOutbox(Database.POSTGRESQL, "jobs_"));
		try (Redis redis = Redis.start()) {
			killAndFreeze("server=redis://127.0.0.1:" + redis.port(), "namespace=steps", "marks=true");
		}
	}

	private void killAndFreeze(String server, String namespace, String... more) {
		JobStore store = new OutboxProcessStores().open(server.substring(7), namespace.substring(10));
		JobEngine producer = new JobEngineBuilder(store).build();
		producer.client().enqueueAll(Collections.nCopies(JOBS, JobRequest.named("steps")));
		String[] arguments = Stream
			.concat(Stream.of(server, namespace, "handlers=steps", "concurrency=4", "lease=1500", "beat=300",
					"data=" + this.url), Stream.of(more))
			.toArray(String[]::new);
		JobsProcess frozen = start(arguments).await("effect", 50);
		frozen.freeze();
		for (int i = 0; i < 3; i++) {
			start(arguments).await("effect", 50).kill();
		}
		start(arguments).await("effect", 50);
		frozen.thaw();
		frozen.await("event LeaseLost");
		Awaitility.await()
			.atMost(PATIENCE)
			.until(() -> producer.operations().jobs(JobFilter.all()).count(JOBS).number() == 0);
		List<String> effects = new JdbcTemplate(this.dataSource).queryForList("select name from effects", String.class);
		assertThat(effects).doesNotHaveDuplicates().hasSize(JOBS * STEPS);
		assertThat(this.processes).allSatisfy((process) -> assertThat(process.reported("wrong")).isEmpty());
		producer.closeClient();
	}

	private JobsProcess start(String... arguments) {
		JobsProcess process = JobsProcess.start(this.directory, arguments);
		this.processes.add(process);
		return process.await("up");
	}

}
