package dev.jobs.lab;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link Logs}.
 */
class LogsTests {

	@Test
	void faultsOfTheEngineAreFoundAndNothingElse(@TempDir Path directory) throws IOException {
		Files.writeString(directory.resolve("work-1.out"),
				"""
						01:59:04.142 WARN  [jobs-beat] d.j.e.PollLoop - Loop 'beat' failed: dev.jobs.JobStoreException: No connection
						01:59:04.143 WARN  [jobs-settle] c.z.h.p.ProxyConnection - A connection is broken
						org.postgresql.util.PSQLException: FATAL: terminating connection
							at org.postgresql.core.v3.QueryExecutorImpl.execute(QueryExecutorImpl.java:431)
						01:59:04.144 ERROR [jobs-default-1] d.j.e.Settler - Job 'flaky' a is dead (EXHAUSTED): failed
						java.lang.IllegalStateException: failed
						01:59:04.145 WARN  [jobs-cron] d.j.e.PollLoop - Loop 'cron' failed 1 time(s)
						java.lang.IllegalStateException: no reason
							at dev.jobs.engine.CronTicker.poll(CronTicker.java:78)
						01:59:04.146 WARN  [jobs-prune] d.j.e.PollLoop - Loop 'prune' failed: java.lang.NullPointerException
						""");
		Files.writeString(directory.resolve("work-2.out"), """
				01:59:04.147 ERROR [jobs-default-2] d.j.e.WorkerPool - Worker thread goes on
				""");
		Files.writeString(directory.resolve("work-2.ledger"), "");
		assertThat(Logs.faults(directory)).hasSize(3)
			.satisfiesExactly(
					(fault) -> assertThat(fault).startsWith("work-1.out").contains("Loop 'cron'", "no reason"),
					(fault) -> assertThat(fault).contains("Loop 'prune'"),
					(fault) -> assertThat(fault).startsWith("work-2.out").contains("goes on"));
	}

}
