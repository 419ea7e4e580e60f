package dev.jobs.autoconfigure;

import dev.jobs.JobClient;
import dev.jobs.test.TestJobs;
import dev.jobs.test.spring.JobsTest;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.context.annotation.Import;
import org.springframework.test.context.TestContextManager;
import org.springframework.test.context.TestPropertySource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Tests for {@link JobsTest} without {@code @SpringBootTest}.
 */
@JobsTest
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
	void testOfAnApplicationWithoutJobsSaysWhatToChange() {
		assertThatIllegalStateException().isThrownBy(() -> new TestContextManager(SwitchedOff.class).beforeTestClass())
			.withMessage("@JobsTest finds no jobs in the context of the test. Remove jobs.enabled=false, or add the "
					+ "dependency jobs-spring-boot-starter");
	}

	@JobsTest
	@TestPropertySource(properties = "jobs.enabled=false")
	static class SwitchedOff {

		@Autowired
		TestJobs jobs;

	}

}
