package dev.jobs.autoconfigure.jdbc;

import dev.jobs.autoconfigure.Contexts;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.jdbc.DatabaseDriver;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for a database whose driver is missing, as that of MySQL is here.
 */
class MissingDriverTests {

	@ParameterizedTest
	@CsvSource({ "spring.datasource.url=jdbc:mysql://localhost/shop, com.mysql:mysql-connector-j",
			"spring.datasource.driver-class-name=com.mysql.cj.jdbc.Driver, com.mysql:mysql-connector-j" })
	void startSaysWhichDependencyHasTheDriver(String property, String dependency) {
		Contexts.runner()
			.withConfiguration(AutoConfigurations.of(DataSourceAutoConfiguration.class))
			.withPropertyValues("jobs.store=jdbc", property)
			.run((context) -> assertThat(Contexts.analysis(context)).contains("is not on the class path")
				.contains("Add the dependency " + dependency));
	}

	@ParameterizedTest
	@CsvSource({ "POSTGRESQL, org.postgresql:postgresql", "MARIADB, org.mariadb.jdbc:mariadb-java-client",
			"MYSQL, com.mysql:mysql-connector-j", "H2, com.h2database:h2", "SQLITE, org.xerial:sqlite-jdbc" })
	void eachDatabaseThatJobsCanBeKeptInIsKnown(DatabaseDriver database, String dependency) {
		FailureAnalysis analysis = new MissingDriverFailureAnalyzer()
			.analyze(new IllegalStateException("no data source",
					new IllegalStateException("Cannot load driver class: " + database.getDriverClassName())));
		assertThat(analysis).isNotNull();
		assertThat(analysis.getAction()).contains(dependency);
	}

	@Test
	void otherFailuresAreLeftToOthers() {
		assertThat(new MissingDriverFailureAnalyzer().analyze(new IllegalStateException("no data source"))).isNull();
		assertThat(new MissingDriverFailureAnalyzer()
			.analyze(new IllegalStateException("Cannot load driver class: com.example.Driver"))).isNull();
	}

}
