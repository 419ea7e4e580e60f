package dev.jobs.autoconfigure;

import dev.jobs.JobClient;
import dev.jobs.JobFilter;
import dev.jobs.actuate.endpoint.JobsEndpoint;
import dev.jobs.autoconfigure.actuate.JobsEndpointAutoConfiguration;
import dev.jobs.autoconfigure.actuate.JobsHealthAutoConfiguration;
import dev.jobs.autoconfigure.metrics.JobsMetricsAutoConfiguration;
import dev.jobs.metrics.JobGauges;
import dev.jobs.operations.JobOperations;
import dev.jobs.store.JobStore;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.mockito.Mockito;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.health.autoconfigure.contributor.HealthContributorAutoConfiguration;
import org.springframework.boot.health.autoconfigure.registry.HealthContributorRegistryAutoConfiguration;
import org.springframework.boot.health.registry.HealthContributorRegistry;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.test.context.bean.override.mockito.MockitoBean;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for applications whose tests replace a bean by a mock.
 */
@SpringBootTest(classes = FailureAnalysisTests.Application.class, webEnvironment = WebEnvironment.NONE,
		properties = { "jobs.store=memory", "spring.application.name=shop" })
@ExtendWith(OutputCaptureExtension.class)
class MockedBeansTests {

	@MockitoBean
	private JobClient client;

	@Autowired
	private JobOperations operations;

	@Test
	void mockedClientEnqueuesNothing() {
		assertThat(this.client.enqueue("greet", "Ada")).isNull();
		assertThat(this.operations.jobs(JobFilter.all()).count(1).number()).isZero();
	}

	@Test
	void mockedOperationsAreNotAskedAtTheStart() {
		Contexts.runner()
			.withConfiguration(AutoConfigurations.of(JobsEndpointAutoConfiguration.class))
			.withBean(JobOperations.class, () -> Mockito.mock(JobOperations.class))
			.withPropertyValues("management.endpoints.jmx.exposure.include=jobs",
					"management.endpoints.web.exposure.include=jobs")
			.run((context) -> assertThat(context).hasNotFailed().hasSingleBean(JobsEndpoint.class));
	}

	@Test
	void mockedStoreLeavesOutWhatReadsIt(CapturedOutput output) {
		Contexts.runner()
			.withConfiguration(AutoConfigurations.of(JobsEndpointAutoConfiguration.class,
					JobsHealthAutoConfiguration.class, JobsMetricsAutoConfiguration.class,
					HealthContributorAutoConfiguration.class, HealthContributorRegistryAutoConfiguration.class))
			.withBean(SimpleMeterRegistry.class)
			.withBean(JobStore.class, () -> Mockito.mock(JobStore.class))
			.withPropertyValues("jobs.worker.enabled=false")
			.run((context) -> {
				assertThat(context).hasNotFailed();
				assertThat(context.getBean(HealthContributorRegistry.class).getContributor("jobs")).isNull();
				assertThat(context.getBeanProvider(JobGauges.class).getIfAvailable()).isNull();
			});
		assertThat(output).containsOnlyOnce("has no JobInspector, so there is neither health nor gauges of jobs");
	}

}
