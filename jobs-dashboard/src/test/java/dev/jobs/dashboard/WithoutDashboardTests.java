package dev.jobs.dashboard;

import dev.jobs.autoconfigure.JobsAutoConfiguration;
import dev.jobs.operations.JobOperations;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.mockito.Mockito;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link WithoutDashboardAutoConfiguration}.
 */
@ExtendWith(OutputCaptureExtension.class)
class WithoutDashboardTests {

	private static final AutoConfigurations CONFIGURATIONS = AutoConfigurations.of(JobsAutoConfiguration.class,
			JobsDashboardAutoConfiguration.class, WithoutDashboardAutoConfiguration.class);

	private final ApplicationContextRunner runner = new ApplicationContextRunner().withConfiguration(CONFIGURATIONS)
		.withPropertyValues("spring.application.name=shop", "jobs.store=memory");

	private final WebApplicationContextRunner webRunner = new WebApplicationContextRunner()
		.withConfiguration(CONFIGURATIONS)
		.withPropertyValues("spring.application.name=shop", "jobs.store=memory", "jobs.dashboard.enabled=true");

	@Test
	void dashboardWithoutAWebApplicationIsWarnedAbout(CapturedOutput output) {
		this.runner.withPropertyValues("jobs.dashboard.enabled=true")
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(Dashboard.class));
		assertThat(output).containsOnlyOnce("jobs.dashboard.enabled is true, but there is no dashboard")
			.contains("remove spring.main.web-application-type=none");
	}

	@Test
	void dashboardWithoutItsWebFrameworkIsWarnedAbout(CapturedOutput output) {
		this.webRunner
			.withClassLoader(
					new FilteredClassLoader("org.springframework.web.servlet", "org.springframework.web.reactive"))
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(ServletDashboard.class));
		assertThat(output).containsOnlyOnce("add spring-boot-starter-webmvc or spring-boot-starter-webflux");
	}

	@ParameterizedTest
	@ValueSource(strings = { "jobs.dashboard.access=operate", "jobs.dashboard.roles.view=A" })
	void accessToADashboardThatIsNotEnabledIsWarnedAbout(String property, CapturedOutput output) {
		this.runner.withPropertyValues(property).run((context) -> assertThat(context).hasNotFailed());
		assertThat(output).containsOnlyOnce("There is no dashboard, so these properties have no effect: "
				+ property.substring(0, property.indexOf('=')) + ". Set jobs.dashboard.enabled to true");
	}

	@Test
	void mockedOperationsAreNotAskedAtTheStart() {
		this.webRunner.withBean(JobOperations.class, () -> Mockito.mock(JobOperations.class))
			.run((context) -> assertThat(context).hasNotFailed().hasSingleBean(Dashboard.class));
	}

	@Test
	void nothingIsSaidOfADashboardThatIsThereOrSwitchedOff(CapturedOutput output) {
		this.webRunner.run((context) -> assertThat(context).hasSingleBean(Dashboard.class));
		this.runner.withPropertyValues("jobs.dashboard.enabled=false", "jobs.dashboard.access=operate")
			.run((context) -> assertThat(context).hasNotFailed());
		assertThat(output).doesNotContain("no dashboard");
	}

}
