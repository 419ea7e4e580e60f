package dev.jobs.autoconfigure;

import dev.jobs.JobClient;
import dev.jobs.test.TestJobs;
import dev.jobs.test.spring.JobsTest;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.context.annotation.Import;
import org.springframework.test.context.TestContextManager;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Tests for {@link JobsTest} without {@code @SpringBootTest}.
 */
@JobsTest
@ImportAutoConfiguration(JobsAutoConfiguration.class)
@Import(Greeter.class)
class JobsTestTests {

	@Autowired
	private TestJobs jobs;

	@Autowired
	private JobClient client;

	@Test
	void extensionOfSpringComesWithTheAnnotation() {
		this.client.enqueue("greet", "Ada");
		assertThat(this.jobs.runUntilIdle()).isOne();
	}

	@Test
	void testWithoutAnApplicationIsToldToBeOfSpringBoot() {
		assertThatIllegalStateException().isThrownBy(() -> new TestContextManager(Alone.class).beforeTestClass())
			.withMessage("@JobsTest finds no jobs in the context of the test. Put @SpringBootTest beside it, or import "
					+ "JobsAutoConfiguration");
	}

	@JobsTest
	static class Alone {

		@Autowired
		Greeter greeter;

		@Autowired
		TestJobs jobs;

	}

}
