package dev.jobs.test.jdbc;

import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

import com.zaxxer.hikari.HikariDataSource;
import dev.jobs.engine.JobEngine;
import dev.jobs.store.jdbc.JdbcJobStore;
import dev.jobs.test.ExpectsFaults;
import dev.jobs.test.process.JobsProcess;
import dev.jobs.test.process.Ledger;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.jdbc.datasource.DriverManagerDataSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What becomes of jobs in a file when the process that has it open is killed.
 */
@ExpectsFaults("JobStoreException")
class FileProcessFaultTests {

	private static final int KILLS = 3;

	@TempDir
	private Path directory;

	private final Ledger ledger = new Ledger();

	private final List<JobsProcess> processes = new ArrayList<>();

	@ParameterizedTest
	@EnumSource(names = { "H2", "SQLITE" })
	void whatAKilledProcessAcknowledgedIsThere(TestDatabase database) {
		String url = (database == TestDatabase.H2) ? "jdbc:h2:" + this.directory.resolve("jobs")
				: "jdbc:sqlite:" + this.directory.resolve("jobs.db");
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

	/**
	 * Start a process and kill it when it has told something so many times.
	 */
	private List<String> killed(String url, String role, String told, int times) {
		JobsProcess process = JobsProcess.start(this.directory, "server=" + url, "namespace=jobs_", role, "lease=3000",
				"beat=500");
		this.processes.add(process);
		process.await(told, times);
		process.kill();
		return process.told(told);
	}

	private void expectRuns(String url, Set<String> ids) {
		HikariDataSource pool = new HikariDataSource();
		pool.setJdbcUrl(url);
		JdbcJobStore store = JdbcJobStore.builder(pool).build();
		assertThat(ids).isNotEmpty().allMatch((id) -> store.inspector().job(id, Instant.now()).isPresent());
		JobEngine engine = JobEngine.builder(store)
			.settings(PostgresApplication.SETTINGS)
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
