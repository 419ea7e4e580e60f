package dev.jobs.dashboard;

import java.util.Set;
import java.util.stream.Stream;

import dev.jobs.audit.LogText;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.boot.context.event.ApplicationReadyEvent;
import org.springframework.context.ApplicationListener;
import org.springframework.core.env.Environment;
import org.springframework.util.ClassUtils;
import org.springframework.util.StringUtils;

/**
 * Logs where the dashboard is and who may open it, once the application can be reached.
 */
record Announcement(DashboardProperties properties,
		Environment environment) implements ApplicationListener<ApplicationReadyEvent> {

	private static final Logger logger = LoggerFactory.getLogger(Announcement.class);

	@Override
	public void onApplicationEvent(ApplicationReadyEvent event) {
		if (event.getApplicationContext().getEnvironment() == this.environment) {
			switch (this.properties.access()) {
				case SECURED -> announceRoles(event.getApplicationContext().getClassLoader());
				case READ_ONLY -> announce("everybody who can reach it, to view");
				case OPERATE -> announce("everybody who can reach it, to view and act");
				case LOCAL ->
					announce("requests from this machine, and to those that a proxy or tunnel on it passes on");
			}
		}
	}

	private void announce(String open) {
		logger.info("The dashboard at {} is open to {}", place(), open);
	}

	private void announceRoles(@Nullable ClassLoader classLoader) {
		Set<String> viewers = this.properties.roles().viewers();
		if (viewers.isEmpty()) {
			logger.warn(
					"Nobody has access to the dashboard at {}: {}set jobs.dashboard.roles.view, or jobs.dashboard.access",
					place(), this.properties.roles().payloads().isEmpty() ? ""
							: "jobs.dashboard.roles.payloads alone gives no access, ");
			return;
		}
		String roles = LogText.plain(String.join(" or ", viewers));
		if (ClassUtils.isPresent(SpringSecurity.AUTHENTICATION, classLoader)) {
			announce("users with the role " + roles);
		}
		else {
			logger.warn("The dashboard at {} is open to users with the role {}, but Spring Security is not on the "
					+ "classpath: unless the server itself logs users in, nobody has a role. Add "
					+ "spring-boot-starter-security, or set jobs.dashboard.access", place(), roles);
		}
	}

	/**
	 * Return the URL on this machine, or the known part of it if an external server runs
	 * the application.
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

}
