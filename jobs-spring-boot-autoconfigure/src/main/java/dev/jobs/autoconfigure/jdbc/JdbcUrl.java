package dev.jobs.autoconfigure.jdbc;

import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;

import dev.jobs.store.jdbc.Database;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.jdbc.DatabaseDriver;

/**
 * The facts about a database that its URL reveals.
 */
final class JdbcUrl {

	/** Drivers that wrap another one. */
	private static final Set<DatabaseDriver> OPEN = EnumSet.of(DatabaseDriver.UNKNOWN, DatabaseDriver.TESTCONTAINERS,
			DatabaseDriver.AWS_WRAPPER);

	private JdbcUrl() {
	}

	/**
	 * Return the kind of database, or {@code null} if only the database itself knows it.
	 * @throws IllegalArgumentException if it cannot keep jobs
	 */
	static @Nullable Database database(@Nullable String url) {
		DatabaseDriver driver = (url != null && url.startsWith("jdbc:")) ? DatabaseDriver.fromJdbcUrl(url)
				: DatabaseDriver.UNKNOWN;
		return OPEN.contains(driver) ? null : Database.named(driver.getId());
	}

	/**
	 * Return whether the database ends with the application.
	 */
	static boolean isInMemory(String url) {
		String lower = url.toLowerCase(Locale.ROOT);
		return lower.startsWith("jdbc:h2:mem:") || lower.startsWith("jdbc:hsqldb:mem:") || isSqliteInMemory(lower);
	}

	/**
	 * Return whether each connection, or only the first, has the database for itself.
	 */
	static boolean isPrivate(String url) {
		String lower = url.toLowerCase(Locale.ROOT);
		return lower.matches("jdbc:h2:mem:(;.*)?")
				|| (lower.startsWith("jdbc:h2:mem:") && !lower.contains("db_close_delay=-1"))
				|| isSqliteInMemory(lower);
	}

	/**
	 * Return whether an H2 runs in another process.
	 */
	static boolean isRemote(String url) {
		String lower = url.toLowerCase(Locale.ROOT);
		return lower.startsWith("jdbc:h2:tcp:") || lower.startsWith("jdbc:h2:ssl:");
	}

	private static boolean isSqliteInMemory(String lower) {
		return lower.startsWith("jdbc:sqlite:")
				&& (lower.equals("jdbc:sqlite:") || lower.contains(":memory:") || lower.contains("mode=memory"));
	}

}
