package dev.jobs.store.jdbc;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;

import dev.jobs.JobResult;
import dev.jobs.engine.JobEngine;
import dev.jobs.engine.settings.HandlerDefinition;
import dev.jobs.store.JobStore;
import dev.jobs.store.contract.process.CrashLoop;
import dev.jobs.store.contract.process.JobsProcess;
import dev.jobs.store.contract.process.Ledger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for jobs in MariaDB when processes or the server are killed.
 */
class MariadbProcessFaultTests {

	private static final String OPTIONS = "socketTimeout=3000";

	private final Ledger ledger = new Ledger();

	@TempDir
	private Path directory;

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void serverKilledUnderLoadComesBackWithAllItAcknowledged() throws Exception {
		String prefix = TestDatabase.newPrefix();
		CountDownLatch released = new CountDownLatch(1);
		try (MariadbServer server = new MariadbServer(this.directory)) {
			DriverManagerDataSource administrator = new DriverManagerDataSource(server.url());
			TestDatabase.MARIADB.createTables(administrator, prefix);
			assertThat(new JdbcTemplate(administrator).queryForObject("select @@innodb_flush_log_at_trx_commit",
					Integer.class))
				.isEqualTo(1);
			try (PostgresApplication application = new PostgresApplication(server.url(), OPTIONS, prefix,
					this.ledger)) {
				application.start((builder) -> builder.handler(this.ledger.handler("work"))
					.handler(HandlerDefinition.of("hold", Object.class, (payload, context) -> {
						this.ledger.ran(context);
						released.await();
						return JobResult.done();
					})));
				application.startProducing();
				application.awaitMoreRuns();
				String held = application.enqueue("hold");
				PostgresApplication.await(() -> assertThat(this.ledger.runs(held)).isEqualTo(1));
				server.kill();
				application.awaitRefusal();
				server.start();
				application.awaitMoreRuns();
				released.countDown();
				application.finish();
			}
			finally {
				released.countDown();
			}
		}
	}

}
