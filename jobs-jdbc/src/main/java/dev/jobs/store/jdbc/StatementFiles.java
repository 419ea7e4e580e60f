package dev.jobs.store.jdbc;

import org.jspecify.annotations.Nullable;

import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;

/**
 * Includes the statement files in a native image: those that create the tables and those
 * of the store in PostgreSQL.
 */
class StatementFiles implements RuntimeHintsRegistrar {

	@Override
	public void registerHints(RuntimeHints hints, @Nullable ClassLoader classLoader) {
		hints.resources()
			.registerPattern("dev/jobs/store/jdbc/*.sql")
			.registerPattern("dev/jobs/store/jdbc/migration/**")
			.registerPattern("dev/jobs/store/jdbc/postgres/**");
	}

}
