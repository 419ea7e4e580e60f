package dev.jobs.dashboard;

import java.time.Duration;
import java.util.Set;
import java.util.regex.Pattern;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Configuration properties for the dashboard.
 *
 * @param enabled Whether there is a dashboard.
 * @param path Where it is, below the context path.
 * @param access Who may see and do what without a role.
 * @param roles Roles that let a user of the application's Spring Security in.
 * @param refresh Time between two reads of the store while a page is open.
 * @param maxStreams Number of pages that are kept up to date by a stream; further pages
 * poll.
 */
@ConfigurationProperties("jobs.dashboard")
record DashboardProperties(@DefaultValue("false") boolean enabled, @DefaultValue("/jobs") String path,
		@DefaultValue("secured") Access access, @DefaultValue Roles roles, @DefaultValue("2s") Duration refresh,
		@DefaultValue("32") int maxStreams) {

	private static final Pattern PATH = Pattern.compile("(/[A-Za-z0-9._~-]+)+");

	DashboardProperties {
		require(PATH.matcher(path).matches(), "'jobs.dashboard.path' must be a path such as /jobs");
		require(refresh.toMillis() >= 500, "'jobs.dashboard.refresh' must be at least 500ms");
		require(maxStreams >= 0 && maxStreams <= 1000, "'jobs.dashboard.max-streams' must be from 0 to 1000");
	}

	private static void require(boolean met, String message) {
		if (!met) {
			throw new IllegalArgumentException(message);
		}
	}

	/**
	 * Who may see and do what without a role.
	 */
	enum Access {

		/** Nobody: roles alone count. */
		SECURED,

		/** Everybody may look, but sees no payloads. */
		READ_ONLY,

		/** Everybody may do everything. */
		OPERATE,

		/** Requests from this machine may do everything. */
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

	}

}
