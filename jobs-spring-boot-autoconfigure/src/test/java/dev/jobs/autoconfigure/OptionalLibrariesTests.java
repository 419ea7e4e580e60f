package dev.jobs.autoconfigure;

import java.util.List;
import java.util.Map;

import dev.jobs.JobClient;
import dev.jobs.JobHandler;
import dev.jobs.autoconfigure.actuate.JobsEndpointAutoConfiguration;
import dev.jobs.autoconfigure.actuate.JobsHealthAutoConfiguration;
import dev.jobs.autoconfigure.metrics.JobsMetricsAutoConfiguration;
import dev.jobs.autoconfigure.metrics.JobsObservationAutoConfiguration;
import dev.jobs.engine.JobEngine;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.observation.ObservationRegistry;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for applications without one of the optional libraries.
 */
class OptionalLibrariesTests {

	private static final List<String> PARTS = List.of("jobsEndpoint", "jobsHealthContributor", "jobCounts", "jobGauges",
			"jobStoreTimer", "observedEnqueue", "observedRun", "jobLogAppender");

	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			none                                      | none
			org.springframework.boot.actuate          | jobsEndpoint
			org.springframework.boot.health           | jobsHealthContributor
			io.micrometer.core                        | jobCounts jobGauges jobStoreTimer
			io.micrometer.observation                 | observedEnqueue observedRun
			ch.qos.logback.classic                    | jobLogAppender
			io.micrometer                             | jobCounts jobGauges jobStoreTimer observedEnqueue observedRun
			""")
	void restWorksWithoutALibrary(String hidden, String missing) {
		List<String> gone = List.of(missing.split(" "));
		runner(hidden).run((context) -> {
			assertThat(context).hasNotFailed();
			assertThat(PARTS)
				.allSatisfy((part) -> assertThat(context.containsBean(part)).as(part).isEqualTo(!gone.contains(part)));
			context.getBean(JobClient.class).enqueue("work", Map.of());
			assertThat(context.getBean(JobEngine.class).runUntilIdle()).isOne();
		});
	}

	private static ApplicationContextRunner runner(String hidden) {
		ApplicationContextRunner runner = Contexts.runner()
			.withClassLoader(new FilteredClassLoader(hidden))
			.withConfiguration(
					AutoConfigurations.of(JobsEndpointAutoConfiguration.class, JobsHealthAutoConfiguration.class,
							JobsMetricsAutoConfiguration.class, JobsObservationAutoConfiguration.class))
			.withPropertyValues("jobs.worker.enabled=false", "management.endpoints.web.exposure.include=jobs")
			.withBean(Handlers.class);
		boolean metrics = !hidden.equals("io.micrometer") && !hidden.equals("io.micrometer.core");
		boolean observations = !hidden.equals("io.micrometer") && !hidden.equals("io.micrometer.observation");
		runner = metrics ? runner.withBean(SimpleMeterRegistry.class) : runner;
		return observations ? runner.withBean(ObservationRegistry.class, ObservationRegistry::create) : runner;
	}

	static class Handlers {

		@JobHandler("work")
		void work() {
		}

	}

}
