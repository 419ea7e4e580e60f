package dev.jobs.test.spring;

import java.time.Instant;

import dev.jobs.engine.JobEngine;
import dev.jobs.serialization.PayloadSerializer;
import dev.jobs.test.SettableClock;
import dev.jobs.test.TestJobs;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.context.annotation.Primary;

/**
 * The beans that {@link JobsTest} adds.
 */
@Configuration(proxyBeanMethods = false)
class JobsTestConfiguration {

	private static final Instant BEGINNING = Instant.parse("2030-01-01T00:00:00Z");

	static final String NO_JOBS = "@JobsTest finds no jobs in the context of the test. Remove jobs.enabled=false, "
			+ "or add the dependency jobs-spring-boot-starter";

	@Bean
	@Primary
	SettableClock jobsTestClock() {
		return SettableClock.at(BEGINNING);
	}

	@Bean
	@Lazy // the engine is built last, when all handlers are known
	TestJobs testJobs(ObjectProvider<JobEngine> engine, SettableClock clock,
			ObjectProvider<PayloadSerializer> serializer) {
		JobEngine built = engine.getIfAvailable();
		if (built == null) {
			throw new IllegalStateException(NO_JOBS);
		}
		return new TestJobs(built, clock, serializer.getObject());
	}

}
