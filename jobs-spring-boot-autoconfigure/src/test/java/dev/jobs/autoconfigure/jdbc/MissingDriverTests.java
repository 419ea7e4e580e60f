package dev.jobs.autoconfigure.jdbc;

import java.util.List;

import dev.jobs.autoconfigure.Contexts;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.jdbc.DatabaseDriver;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for a database whose driver is missing.
 */
class MissingDriverTests {

	@Test
	void startSaysWhichDependencyHasTheDriver() {
		Contexts.runner()
			.withClassLoader(new FilteredClassLoader("org.mariadb"))
			.withConfiguration(AutoConfigurations.of(DataSourceAutoConfiguration.class))
			.withPropertyValues("jobs.store=jdbc", "spring.datasource.driver-class-name=org.mariadb.jdbc.Driver")
			.run((context) -> assertThat(Contexts.analysis(context)).contains("is not on the class path")
				.contains("Add the dependency org.mariadb.jdbc:mariadb-java-client"));
	}

	@ParameterizedTest
	@CsvSource({ "POSTGRESQL, org.postgresql:postgresql", "MARIADB, org.mariadb.jdbc:mariadb-java-client",
			"H2, com.h2database:h2", "SQLITE, org.xerial:sqlite-jdbc" })
	void eachDatabaseThatJobsCanBeKeptInIsKnown(DatabaseDriver database, String dependency) {
		for (String message : List.of("Cannot load driver class: %s",
				"Failed to load driver class %s in either of HikariConfig class loader or Thread context classloader")) {
			FailureAnalysis analysis = new MissingDriverFailureAnalyzer().analyze(new IllegalStateException(
					"no data source", new IllegalStateException(message.formatted(database.getDriverClassName()))));
			assertThat(analysis).isNotNull();
			assertThat(analysis.getAction()).contains(dependency);
		}
	}

	@Test
	void otherFailuresAreLeftToOthers() {
		assertThat(new MissingDriverFailureAnalyzer().analyze(new IllegalStateException("no data source"))).isNull();
		assertThat(new MissingDriverFailureAnalyzer()
			.analyze(new IllegalStateException("Cannot load driver class: com.example.Driver"))).isNull();
	}

}
