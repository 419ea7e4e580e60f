package dev.jobs.test.spring;

import dev.jobs.test.TestJobs;
import org.junit.jupiter.api.Test;

import org.springframework.context.annotation.AnnotationConfigApplicationContext;

import static org.assertj.core.api.Assertions.assertThatException;

/**
 * Tests for {@link JobsTestConfiguration}.
 */
class JobsTestConfigurationTests {

	@Test
	void contextWithoutJobsIsExplained() {
		try (AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext(
				JobsTestConfiguration.class)) {
			assertThatException().isThrownBy(() -> context.getBean(TestJobs.class))
				.withStackTraceContaining(
						"@JobsTest finds no jobs in the context of the test. Remove jobs.enabled=false");
		}
	}

}
