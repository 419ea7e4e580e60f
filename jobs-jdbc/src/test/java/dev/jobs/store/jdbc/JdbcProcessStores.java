package dev.jobs.store.jdbc;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.jobs.store.JobStore;
import dev.jobs.store.contract.process.ProcessStores;

import org.springframework.jdbc.datasource.DriverManagerDataSource;

/**
 * Opens stores in databases for processes of tests.
 */
public final class JdbcProcessStores implements ProcessStores {

	@Override
	public JobStore open(String server, String namespace) {
		HikariConfig config = new HikariConfig();
		config.setJdbcUrl(server);
		config.setMaximumPoolSize(4);
		return JdbcJobStore.builder(new HikariDataSource(config))
			.tablePrefix(namespace)
			.listen(new DriverManagerDataSource(server))
			.build();
	}

}
