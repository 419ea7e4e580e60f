package dev.jobs.store.jdbc;

import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link JdbcSchema}.
 */
class JdbcSchemaTests {

	private static Set<String> tables(Database database) {
		return Pattern.compile("create table if not exists (\\w+)")
			.matcher(JdbcSchema.of(database, "jobs_"))
			.results()
			.map((MatchResult found) -> found.group(1))
			.collect(Collectors.toCollection(TreeSet::new));
	}

	@ParameterizedTest
	@EnumSource
	void everyDatabaseHasTheTablesOfTheStore(Database database) {
		assertThat(tables(database)).containsAll(tables(Database.POSTGRESQL)).contains("jobs_job", "jobs_schedule");
	}

}
