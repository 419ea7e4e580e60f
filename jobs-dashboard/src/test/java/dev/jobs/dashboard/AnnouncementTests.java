package dev.jobs.dashboard;

import java.time.Duration;

import dev.jobs.autoconfigure.JobsAutoConfiguration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.context.event.ApplicationReadyEvent;
import org.springframework.boot.logging.LogLevel;
import org.springframework.boot.logging.LoggingSystem;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.security.core.Authentication;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link Announcement}.
 */
@ExtendWith(OutputCaptureExtension.class)
class AnnouncementTests {

	private static final String LOGGED = "logging.level." + Announcement.class.getName() + "=info";

	private final WebApplicationContextRunner runner = new WebApplicationContextRunner()
		.withInitializer((context) -> LoggingSystem.get(getClass().getClassLoader())
			.setLogLevel(Announcement.class.getName(), LogLevel.INFO))
		.withConfiguration(AutoConfigurations.of(JobsAutoConfiguration.class, JobsDashboardAutoConfiguration.class))
		.withPropertyValues("spring.application.name=shop", "jobs.store=memory", "jobs.dashboard.enabled=true");

	@AfterEach
	void logAsBefore() {
		LoggingSystem.get(getClass().getClassLoader()).setLogLevel(Announcement.class.getName(), null);
	}

	@Test
	void addressOnMvcCanBeOpened(CapturedOutput output) {
		try (Server server = Server.start(WebApplicationType.SERVLET, Applications.Servlet.class,
				"server.servlet.context-path=/shop", "jobs.dashboard.access=operate", LOGGED)) {
			assertAnnounced(server, output);
		}
	}

	@Test
	void addressOnWebFluxCanBeOpened(CapturedOutput output) {
		try (Server server = Server.start(WebApplicationType.REACTIVE, Applications.Reactive.class,
				"spring.webflux.base-path=/shop", "jobs.dashboard.access=operate", LOGGED)) {
			assertAnnounced(server, output);
		}
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|',
			textBlock = """
					jobs.dashboard.access=secured    | Nobody has access to the dashboard at /jobs: set jobs.dashboard.roles.view, or jobs.dashboard.access
					jobs.dashboard.roles.payloads=A  | Nobody has access to the dashboard at /jobs: jobs.dashboard.roles.payloads alone gives no access, set
					jobs.dashboard.roles.view=A,B    | The dashboard at /jobs is open to users with the role A or B
					""")
	void whoMayOpenItIsSaid(String property, String said, CapturedOutput output) {
		announce(this.runner.withPropertyValues(property));
		assertThat(output).containsOnlyOnce(said).doesNotContain("is not on the classpath");
	}

	@Test
	void rolesThatNothingGivesAreWarnedAbout(CapturedOutput output) {
		announce(this.runner.withClassLoader(new FilteredClassLoader(Authentication.class))
			.withPropertyValues("jobs.dashboard.roles.view=A"));
		assertThat(output).containsOnlyOnce("but Spring Security is not on the classpath")
			.contains("Add spring-boot-starter-security");
	}

	private static void announce(WebApplicationContextRunner runner) {
		runner.run((context) -> {
			assertThat(context).hasNotFailed();
			context.publishEvent(new ApplicationReadyEvent(new SpringApplication(), new String[0],
					context.getSourceApplicationContext(), Duration.ZERO));
		});
	}

	private static void assertAnnounced(Server server, CapturedOutput output) {
		assertThat(server.uri("").toString()).endsWith("/shop/jobs");
		assertThat(server.get("/").statusCode()).isEqualTo(200);
		assertThat(output).contains("The dashboard at " + server.uri("") + " is open to everybody who can reach it");
	}

}
