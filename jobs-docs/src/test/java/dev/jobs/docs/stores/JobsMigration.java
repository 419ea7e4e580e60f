package dev.jobs.docs.stores;

import javax.sql.DataSource;

import dev.jobs.store.jdbc.Database;
import org.flywaydb.core.Flyway;

import org.springframework.boot.flyway.autoconfigure.FlywayMigrationInitializer;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.DependsOn;

/**
 * What the page about databases shows of Flyway.
 */
@Configuration(proxyBeanMethods = false)
class JobsMigration {

	@Bean(defaultCandidate = false)
	@DependsOn("flywayInitializer")
	FlywayMigrationInitializer jobsFlywayInitializer(DataSource dataSource) {
		return new FlywayMigrationInitializer(Flyway.configure()
			.dataSource(dataSource)
			.locations("classpath:" + Database.POSTGRESQL.schemaLocation())
			.table("jobs_flyway")
			.baselineOnMigrate(true)
			.baselineVersion("0")
			.load());
	}

}
