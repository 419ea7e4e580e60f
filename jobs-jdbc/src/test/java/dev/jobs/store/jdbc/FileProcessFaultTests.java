package dev.jobs.store.jdbc;

import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.IntStream;

import com.zaxxer.hikari.HikariDataSource;
import dev.jobs.Enqueued;
import dev.jobs.JobClient;
import dev.jobs.JobRequest;
import dev.jobs.engine.JobEngine;
import dev.jobs.engine.JobEngineBuilder;
import dev.jobs.store.contract.process.CrashLoop;
import dev.jobs.store.contract.process.JobsProcess;
import dev.jobs.store.contract.process.Ledger;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.jdbc.datasource.DriverManagerDataSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for jobs in a file whose process is killed.
 */
class FileProcessFaultTests {

	private static final int KILLS = 3;

	@TempDir
	private Path directory;

	private final Ledger ledger = new Ledger();

	private final List<JobsProcess> processes = new ArrayList<>();

	@ParameterizedTest
	@EnumSource(names = { "H2", "SQLITE" })
	void whatAKilledProcessAcknowledgedIsThere(TestDatabase database) {
		String url = url(database);
		database.createTables(new DriverManagerDataSource(url), "jobs_");
		try {
			Set<String> acknowledged = new TreeSet<>();
			for (int i = 1; i <= KILLS; i++) {
				acknowledged.addAll(killed(url, "role=produce", "ack", 250 * i));
			}
			Set<String> started = new TreeSet<>();
			for (int i = 1; i <= KILLS; i++) {
				started.addAll(
						killed(url, "role=work", "start", 40 * i).stream().map((line) -> line.split(" ")[0]).toList());
			}
			assertThat(started).isNotEmpty();
			acknowledged.removeAll(started);
			expectRuns(url, acknowledged);
		}
		finally {
			this.processes.forEach(JobsProcess::close);
		}
	}

	private String url(TestDatabase database) {
		return (database == TestDatabase.H2) ? "jdbc:h2:" + this.directory.resolve("jobs")
				: "jdbc:sqlite:" + this.directory.resolve("jobs.db");
	}

	@Test
	void tenDeathsInARowBuryTheKillerAndNobodyElse() {
		String url = url(TestDatabase.SQLITE);
		TestDatabase.SQLITE.createTables(new DriverManagerDataSource(url), "jobs_");
		HikariDataSource pool = new HikariDataSource();
		pool.setJdbcUrl(url);
		JdbcJobStore store = JdbcJobStore.builder(pool).build();
		JobEngine engine = new JobEngineBuilder(store).settings(PostgresApplication.SETTINGS)
			.handler(this.ledger.handler(CrashLoop.INNOCENT))
			.handler(this.ledger.handler(CrashLoop.KILLER))
			.listeners(List.of(this.ledger))
			.build();
		try {
			new CrashLoop(engine, this.ledger, () -> {
				JobsProcess process = JobsProcess.start(this.directory, "server=" + url, "namespace=jobs_",
						"handlers=" + CrashLoop.INNOCENT + "," + CrashLoop.KILLER, "concurrency=50", "lease=3000",
						"beat=500");
				this.processes.add(process);
				return process;
			}).expectThatOnlyTheKillerIsBuried();
		}
		finally {
			engine.stopNow();
			engine.closeClient();
			this.processes.forEach(JobsProcess::close);
			store.close();
			pool.close();
		}
	}

	/**
	 * All have room at the same moment, and then race for the rest. SQLite only, since H2
	 * lets one process open a file.
	 */
	@Test
	void fourProcessesOfFourWorkersRunEachJobInAFileOnce() {
		String url = "jdbc:sqlite:" + this.directory.resolve("jobs.db");
		TestDatabase.SQLITE.createTables(new DriverManagerDataSource(url), "jobs_");
		HikariDataSource pool = new HikariDataSource();
		pool.setJdbcUrl(url);
		JdbcJobStore store = JdbcJobStore.builder(pool).build();
		try {
			List<JobsProcess> workers = IntStream.range(0, 4)
				.mapToObj((i) -> JobsProcess.start(this.directory, "server=" + url, "namespace=jobs_",
						"handlers=hold,work", "concurrency=4"))
				.toList();
			this.processes.addAll(workers);
			JobClient client = new JobEngineBuilder(store).build().client();
			Set<String> ids = new TreeSet<>(enqueue(client, "hold", 16));
			workers.forEach((worker) -> worker.await("start", 4));
			ids.addAll(enqueue(client, "work", 1000));
			workers.forEach((worker) -> worker.say("hold"));
			Awaitility.await()
				.atMost(PostgresApplication.PATIENCE.multipliedBy(2))
				.pollInterval(Duration.ofMillis(200))
				.untilAsserted(() -> assertThat(workers.stream()
					.flatMap((worker) -> worker.reported("end").stream().map((line) -> line.split(" ")[0])))
					.containsExactlyInAnyOrderElementsOf(ids));
			assertThat(workers.stream().flatMap((worker) -> worker.reported("start").stream())).hasSize(ids.size());
		}
		finally {
			this.processes.forEach(JobsProcess::close);
			store.close();
			pool.close();
		}
	}

	private static List<String> enqueue(JobClient client, String name, int count) {
		return client.enqueueAll(IntStream.range(0, count).mapToObj((i) -> JobRequest.named(name).payload(i)).toList())
			.stream()
			.map(Enqueued::id)
			.toList();
	}

	/**
	 * Start a process and kill it when it has told something so many times.
	 */
	private List<String> killed(String url, String role, String told, int times) {
		JobsProcess process = JobsProcess.start(this.directory, "server=" + url, "namespace=jobs_", role, "lease=3000",
				"beat=500");
		this.processes.add(process);
		process.await(told, times);
		process.kill();
		return process.reported(told);
	}

	private void expectRuns(String url, Set<String> ids) {
		HikariDataSource pool = new HikariDataSource();
		pool.setJdbcUrl(url);
		JdbcJobStore store = JdbcJobStore.builder(pool).build();
		assertThat(ids).isNotEmpty().allMatch((id) -> store.inspector().job(id, Instant.now()).isPresent());
		JobEngine engine = new JobEngineBuilder(store).settings(PostgresApplication.SETTINGS)
			.handler(this.ledger.handler("work"))
			.build();
		ids.forEach(this.ledger::acknowledge);
		engine.start();
		try {
			this.ledger.awaitRuns(PostgresApplication.PATIENCE.multipliedBy(4));
		}
		finally {
			engine.stopNow();
			store.close();
			pool.close();
		}
	}

}
