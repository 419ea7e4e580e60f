package dev.jobs.dashboard;

import java.net.InetAddress;
import java.time.Duration;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.BiConsumer;
import java.util.regex.Pattern;

import dev.jobs.autoconfigure.properties.CheckedProperties;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.autoconfigure.web.server.ManagementPortType;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.core.env.Environment;
import org.springframework.util.ClassUtils;

/**
 * Configuration properties for the dashboard.
 *
 * @param enabled Whether there is a dashboard.
 * @param path Where it is, below the context path. Nothing else may be there.
 * @param access Who may see and do what without a role.
 * @param roles Roles that let a user of the application's Spring Security in.
 * @param refresh Time between two requests of an open page, and between two reads of the
 * store for all of them.
 * @param traceUrl Address of a trace in your tracing system, with {traceId} in it, to
 * which the pages of jobs link.
 */
@ConfigurationProperties("jobs.dashboard")
record DashboardProperties(@DefaultValue("false") boolean enabled, @DefaultValue("/jobs") String path,
		@DefaultValue("secured") Access access, @DefaultValue Roles roles, @DefaultValue("2s") Duration refresh,
		@Nullable String traceUrl) implements CheckedProperties {

	private static final boolean ACTUATOR_PRESENT = ClassUtils.isPresent(
			"org.springframework.boot.actuate.autoconfigure.web.server.ManagementPortType",
			DashboardProperties.class.getClassLoader());

	private static final Pattern TRACE_URL = Pattern.compile("https?://[^/{]+/[^{]*\\{traceId}.*");

	private static final Pattern PATH = Pattern.compile("(/[A-Za-z0-9._~-]+)+");

	DashboardProperties {
		path = withoutTrailingSlash(path);
	}

	private static String withoutTrailingSlash(String path) {
		return (path.length() > 1 && path.endsWith("/")) ? path.substring(0, path.length() - 1) : path;
	}

	@Override
	public void check(Environment environment, BiConsumer<String, String> rejection) {
		if (!this.path.startsWith("/")) {
			rejection.accept("path", "must begin with a slash, such as /jobs");
		}
		else if (this.path.equals("/")) {
			rejection.accept("path",
					"must not be the root, since all requests below the path go to the dashboard; use one such as /jobs");
		}
		else if (!PATH.matcher(this.path).matches()) {
			rejection.accept("path", "must be a path such as /jobs, of letters, digits, dots, dashes, _ and ~");
		}
		else if (this.enabled && ACTUATOR_PRESENT) {
			checkAgainstActuator(environment, rejection);
		}
		if (this.enabled && this.access == Access.LOCAL && !listensHereOnly(environment)) {
			rejection.accept("access",
					"local opens the dashboard to all who reach the server, so it must listen on this machine only: set "
							+ "server.address=127.0.0.1; where it cannot, as in a container, use jobs.dashboard.roles or "
							+ "another jobs.dashboard.access");
		}
		if (this.traceUrl != null && !TRACE_URL.matcher(this.traceUrl).matches()) {
			rejection.accept("trace-url",
					"must begin with http:// or https:// and the host and have {traceId} behind it, such as https://traces.example.org/trace/{traceId}");
		}
		if (this.refresh.toMillis() < 500) {
			rejection.accept("refresh", "must be at least 500ms");
		}
	}

	private static boolean listensHereOnly(Environment environment) {
		InetAddress address = Binder.get(environment).bind("server.address", InetAddress.class).orElse(null);
		return address != null && address.isLoopbackAddress();
	}

	/**
	 * The dashboard owns every path below its own, so each would take requests of the
	 * other.
	 */
	private void checkAgainstActuator(Environment environment, BiConsumer<String, String> rejection) {
		String actuator = withoutTrailingSlash(
				environment.getProperty("management.endpoints.web.base-path", "/actuator"));
		if (actuator.length() > 1 && (isWithin(this.path, actuator) || isWithin(actuator, this.path))
				&& ManagementPortType.get(environment) == ManagementPortType.SAME) {
			rejection.accept("path", "the dashboard at " + this.path + " and Actuator at " + actuator
					+ " (management.endpoints.web.base-path) would take each other's requests; set a path apart from it");
		}
	}

	/**
	 * Return whether a path equals another or is below it.
	 */
	static boolean isWithin(String path, String other) {
		return path.equals(other) || path.startsWith(other + "/");
	}

	/**
	 * Who may see and do what without a role.
	 */
	enum Access {

		/** Nobody; only roles count. */
		SECURED,

		/** Everybody may look, but sees no payloads. */
		READ_ONLY,

		/** Everybody may do everything. */
		OPERATE,

		/** Requests from this machine, to which the server listens, may do everything. */
		LOCAL

	}

	/**
	 * Roles that let users in, with or without the prefix {@code ROLE_}.
	 *
	 * @param view Roles that may view the dashboard.
	 * @param operate Roles that may also act.
	 * @param payloads Roles that may also see payloads, if they may view the dashboard.
	 */
	record Roles(@DefaultValue Set<String> view, @DefaultValue Set<String> operate,
			@DefaultValue Set<String> payloads) {

		/**
		 * Return the roles that let a user view.
		 */
		Set<String> viewers() {
			Set<String> viewers = new TreeSet<>(this.view);
			viewers.addAll(this.operate);
			return viewers;
		}

	}

}
