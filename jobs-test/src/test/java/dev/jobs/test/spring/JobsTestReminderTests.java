package dev.jobs.test.spring;

import java.time.Instant;

import dev.jobs.engine.JobEngine;
import dev.jobs.engine.JobEngineBuilder;
import dev.jobs.store.memory.InMemoryJobStore;
import dev.jobs.test.SettableClock;
import dev.jobs.test.TestJobs;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.context.annotation.Bean;
import org.springframework.test.context.ContextConfiguration;
import org.springframework.test.context.TestContextManager;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Tests for {@link JobsTestReminder}.
 */
class JobsTestReminderTests {

	@ParameterizedTest
	@ValueSource(classes = { ByField.class, ByConstructor.class, Inherited.class })
	void testThatWantsTestJobsIsRemindedOfTheAnnotation(Class<?> test) {
		assertThatIllegalStateException().isThrownBy(() -> new TestContextManager(test).beforeTestClass())
			.withMessage(test.getSimpleName()
					+ " wants TestJobs, which its context does not have. Put @JobsTest on the class");
	}

	@Test
	void testWithoutTheStarterIsExplained() {
		assertThatIllegalStateException()
			.isThrownBy(() -> new TestContextManager(WithoutStarter.class).beforeTestClass())
			.withMessageStartingWith("@JobsTest finds no jobs in the context of the test. Remove jobs.enabled=false");
	}

	@ParameterizedTest
	@ValueSource(classes = { OwnBean.class, NotInjected.class })
	void testThatHasItsOwnIsNotReminded(Class<?> test) {
		assertThatCode(() -> new TestContextManager(test).beforeTestClass()).doesNotThrowAnyException();
	}

	@ContextConfiguration(classes = Empty.class)
	static class ByField {

		@Autowired
		TestJobs jobs;

	}

	static class Inherited extends ByField {

	}

	@ContextConfiguration(classes = Empty.class)
	static class ByConstructor {

		@Autowired
		ByConstructor(TestJobs jobs) {
		}

	}

	@ContextConfiguration(classes = Jobs.class)
	static class OwnBean {

		@Autowired
		TestJobs jobs;

	}

	@ContextConfiguration(classes = Empty.class)
	static class NotInjected {

		TestJobs jobs;

	}

	@JobsTest
	@ContextConfiguration(classes = Empty.class)
	static class WithoutStarter {

		@Autowired
		TestJobs jobs;

	}

	static class Empty {

	}

	static class Jobs {

		@Bean
		TestJobs jobs() {
			SettableClock clock = SettableClock.at(Instant.EPOCH);
			JobEngine engine = new JobEngineBuilder(new InMemoryJobStore()).clock(clock).build();
			return new TestJobs(engine, clock);
		}

	}

}
