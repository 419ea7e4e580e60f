package dev.jobs.store.jdbc;

import org.jspecify.annotations.Nullable;

import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;

/**
 * Takes the files of statements along into a native image: those that create the tables
 * and those that the store in PostgreSQL runs.
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
