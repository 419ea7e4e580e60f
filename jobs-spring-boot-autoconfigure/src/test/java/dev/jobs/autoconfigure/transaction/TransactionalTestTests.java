package dev.jobs.autoconfigure.transaction;

import java.time.Duration;

import dev.jobs.JobClient;
import dev.jobs.autoconfigure.Greeter;
import dev.jobs.autoconfigure.JobsAutoConfiguration;
import dev.jobs.test.TestJobs;
import dev.jobs.test.spring.JobsTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Import;
import org.springframework.test.annotation.DirtiesContext;
import org.springframework.transaction.annotation.Transactional;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link JobsTest} in a test whose transaction is rolled back.
 */
@JobsTest
@ImportAutoConfiguration(JobsAutoConfiguration.class)
@Import({ Greeter.class, PlainTransactions.class })
@Transactional
@DirtiesContext(classMode = DirtiesContext.ClassMode.AFTER_EACH_TEST_METHOD)
@ExtendWith(OutputCaptureExtension.class)
class TransactionalTestTests {

	private static final String WARNING = "jobs.transactions=ignore";

	@Autowired
	private TestJobs jobs;

	@Autowired
	private JobClient client;

	@Test
	void enqueuesThatWaitForTheCommitAreWarnedAboutOnce(CapturedOutput output) {
		this.client.enqueue("greet", "Ada");
		assertThat(this.jobs.runUntilIdle()).isZero();
		assertThat(output).containsOnlyOnce(WARNING);
		assertThat(this.jobs.advance(Duration.ofDays(1))).isZero();
		assertThat(output).containsOnlyOnce(WARNING);
	}

	@Test
	void transactionWithoutEnqueuesIsNotWarnedAbout(CapturedOutput output) {
		assertThat(this.jobs.runUntilIdle()).isZero();
		assertThat(output).doesNotContain(WARNING);
	}

}
