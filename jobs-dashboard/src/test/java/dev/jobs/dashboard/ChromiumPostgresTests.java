package dev.jobs.dashboard;

import java.io.IOException;
import java.util.List;

import dev.jobs.build.Ports;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;

import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

/**
 * Tests for the dashboard in a real browser, with jobs in PostgreSQL.
 */
class ChromiumPostgresTests extends ChromiumSuite {

	private EmbeddedPostgres postgres;

	@Override
	Class<?> application() {
		return Application.class;
	}

	@Override
	List<String> properties() throws IOException {
		this.postgres = EmbeddedPostgres.builder().setPort(Ports.reserve()).setServerConfig("fsync", "off").start();
		return List.of("jobs.store=jdbc", "spring.datasource.url=" + this.postgres.getJdbcUrl("postgres", "postgres"),
				"jobs.jdbc.initialize-schema=always", "jobs.dashboard.access=local", "jobs.dashboard.refresh=500ms",
				"jobs.handlers.fail.max-attempts=1", "jobs.worker.lease=3s", "jobs.worker.beat=500ms");
	}

	@Override
	void stopStore() throws IOException {
		this.postgres.close();
	}

	@Configuration(proxyBeanMethods = false)
	@Import(Applications.Servlet.class)
	@ImportAutoConfiguration({ DataSourceAutoConfiguration.class, DataSourceTransactionManagerAutoConfiguration.class })
	static class Application {

	}

}
