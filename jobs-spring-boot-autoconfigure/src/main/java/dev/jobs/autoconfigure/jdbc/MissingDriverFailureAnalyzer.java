package dev.jobs.autoconfigure.jdbc;

import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.diagnostics.FailureAnalyzer;

/**
 * A {@link FailureAnalyzer} for a database that jobs can be kept in and whose driver is
 * not on the class path. Neither Spring Boot nor the pool names the dependency.
 */
class MissingDriverFailureAnalyzer implements FailureAnalyzer {

	private static final Pattern MESSAGE = Pattern
		.compile("(?:Cannot load driver class: |Failed to load driver class )([\\w.]+).*");

	private static final Map<String, String> DEPENDENCIES = Map.of("org.postgresql.Driver", "org.postgresql:postgresql",
			"org.mariadb.jdbc.Driver", "org.mariadb.jdbc:mariadb-java-client", "org.h2.Driver", "com.h2database:h2",
			"org.sqlite.JDBC", "org.xerial:sqlite-jdbc");

	@Override
	public @Nullable FailureAnalysis analyze(Throwable failure) {
		for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
			Matcher message = MESSAGE.matcher(String.valueOf(cause.getMessage()));
			String dependency = message.matches() ? DEPENDENCIES.get(message.group(1)) : null;
			if (dependency != null) {
				return new FailureAnalysis(
						"The JDBC driver " + message.group(1) + " of the database is not on the class path.",
						"Add the dependency " + dependency + ", whose version Spring Boot manages.", cause);
			}
		}
		return null;
	}

}
