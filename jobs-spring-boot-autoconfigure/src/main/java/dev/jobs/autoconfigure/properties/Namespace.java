package dev.jobs.autoconfigure.properties;

import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.core.env.Environment;
import org.springframework.util.StringUtils;

/**
 * The name under which a store keeps the jobs of this application.
 *
 * @param name the name
 * @param source where it comes from
 */
public record Namespace(String name, String source) {

	static final String ACCEPTED = "must have 1 to 100 letters, digits, dots, dashes and underscores, "
			+ "and start with a letter or digit";

	private static final Logger logger = LoggerFactory.getLogger(Namespace.class);

	private static final Pattern VALID = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,99}");

	private static final String PROPERTY = "jobs.namespace";

	private static final String DEFAULT = "default";

	private static final String APPLICATION_NAME = "spring.application.name";

	static boolean isValid(String name) {
		return VALID.matcher(name).matches();
	}

	/**
	 * Take the configured name or, without one, the application's name with invalid
	 * characters replaced.
	 * @param configured the configured name, or {@code null}
	 * @param environment has the name of the application
	 * @return the namespace
	 */
	public static Namespace of(@Nullable String configured, Environment environment) {
		if (StringUtils.hasText(configured)) {
			return new Namespace(configured, PROPERTY);
		}
		String application = environment.getProperty(APPLICATION_NAME, "").strip();
		String fitting = application.replaceAll("[^A-Za-z0-9._-]+", "-").replaceAll("^[._-]+", "");
		if (!fitting.isEmpty()) {
			return new Namespace(fitting.substring(0, Math.min(100, fitting.length())), APPLICATION_NAME);
		}
		return new Namespace("application", DEFAULT);
	}

	/**
	 * Log a warning if applications that share a store may have the same namespace
	 * because none was set.
	 */
	public void warnIfNotSet() {
		if (this.source.equals(DEFAULT)) {
			logger.warn("Neither {} nor {} is set, so the namespace of the jobs is '{}'. Applications that "
					+ "share a store need different namespaces", PROPERTY, APPLICATION_NAME, this.name);
		}
	}

}
