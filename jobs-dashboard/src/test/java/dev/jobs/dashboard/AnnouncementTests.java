package dev.jobs.dashboard;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.WebApplicationType;
import org.springframework.boot.logging.LoggingSystem;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link Announcement}.
 */
@ExtendWith(OutputCaptureExtension.class)
class AnnouncementTests {

	private static final String LOGGED = "logging.level." + Announcement.class.getName() + "=info";

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

	private static void assertAnnounced(Server server, CapturedOutput output) {
		assertThat(server.uri("").toString()).endsWith("/shop/jobs");
		assertThat(server.get("/").statusCode()).isEqualTo(200);
		assertThat(output).contains("The dashboard at " + server.uri("") + " is open to everybody who can reach it");
	}

}
