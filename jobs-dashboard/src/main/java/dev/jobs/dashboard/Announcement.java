package dev.jobs.dashboard;

import java.util.stream.Stream;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.boot.context.event.ApplicationReadyEvent;
import org.springframework.context.ApplicationListener;
import org.springframework.core.env.Environment;
import org.springframework.util.StringUtils;

/**
 * Logs where the dashboard is and who may open it, once the application can be reached.
 */
class Announcement implements ApplicationListener<ApplicationReadyEvent> {

	private static final Logger logger = LoggerFactory.getLogger(Announcement.class);

	private final DashboardProperties properties;

	private final Environment environment;

	Announcement(DashboardProperties properties, Environment environment) {
		this.properties = properties;
		this.environment = environment;
	}

	@Override
	public void onApplicationEvent(ApplicationReadyEvent event) {
		if (event.getApplicationContext().getEnvironment() == this.environment) {
			logger.info("The dashboard at {} is {}", place(), open());
		}
	}

	/**
	 * Return the URL on this machine, or what is known of it if a server outside of the
	 * application runs it.
	 */
	private String place() {
		String path = property("server.servlet.context-path") + property("spring.mvc.servlet.path")
				+ property("spring.webflux.base-path") + this.properties.path();
		path = path.replaceAll("/+", "/");
		String port = property("local.server.port");
		return port.isEmpty() ? path : (isSecure() ? "https" : "http") + "://localhost:" + port + path;
	}

	private boolean isSecure() {
		return this.environment.getProperty("server.ssl.enabled", Boolean.class, true)
				&& Stream.of("bundle", "key-store", "certificate")
					.anyMatch((property) -> StringUtils.hasText(property("server.ssl." + property)));
	}

	private String property(String name) {
		return this.environment.getProperty(name, "").strip();
	}

	private String open() {
		DashboardProperties.Roles roles = this.properties.roles();
		return switch (this.properties.access()) {
			case SECURED -> (roles.view().isEmpty() && roles.operate().isEmpty())
					? "closed to everybody: name roles in jobs.dashboard.roles, or set jobs.dashboard.access"
					: "open to users with a role";
			case READ_ONLY -> "open to everybody who can reach it, to look";
			case OPERATE -> "open to everybody who can reach it, to look and act";
			case LOCAL -> "open to requests from this machine";
		};
	}

}
