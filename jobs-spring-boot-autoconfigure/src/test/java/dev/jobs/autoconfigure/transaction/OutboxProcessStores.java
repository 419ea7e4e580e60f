package dev.jobs.autoconfigure.transaction;

import java.net.URI;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import javax.sql.DataSource;

import dev.jobs.engine.JobEngineBuilder;
import dev.jobs.store.JobStore;
import dev.jobs.store.Outbox;
import dev.jobs.store.contract.process.ProcessStores;
import dev.jobs.store.jdbc.JdbcJobStore;
import dev.jobs.store.redis.RedisJobStore;

import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

/**
 * Opens a store in Redis for processes of tests, and the outbox in a database that they
 * relay to it.
 */
public final class OutboxProcessStores implements ProcessStores {

	/** A store joins transactions on its own data source only. */
	private final Map<String, DataSource> dataSources = new ConcurrentHashMap<>();

	@Override
	public JobStore open(String server, String namespace) {
		if (server.startsWith("jdbc:")) {
			return JdbcJobStore.builder(dataSource(server)).tablePrefix(namespace).build();
		}
		URI redis = URI.create(server);
		LettuceConnectionFactory factory = new LettuceConnectionFactory(redis.getHost(), redis.getPort());
		factory.afterPropertiesSet();
		factory.start();
		return new RedisJobStore(factory, namespace);
	}

	private DataSource dataSource(String server) {
		return this.dataSources.computeIfAbsent(server, DriverManagerDataSource::new);
	}

	@Override
	public Data openData(String server, boolean marks) {
		DataSource dataSource = dataSource(server);
		JdbcTemplate jdbc = new JdbcTemplate(dataSource);
		return new Data() {

			@Override
			public void connect(JobEngineBuilder builder) {
				builder
					.handlerTransactions(new SpringHandlerTransactions(new DataSourceTransactionManager(dataSource)));
				if (marks) {
					builder.stepMarks(JdbcJobStore.builder(dataSource).buildStepMarks());
				}
			}

			@Override
			public void write(String row) {
				jdbc.update("insert into effects (name) values (?)", row);
			}

		};
	}

	@Override
	public Outbox openOutbox(String server, String prefix) {
		return JdbcJobStore.builder(new DriverManagerDataSource(server)).tablePrefix(prefix).buildOutbox();
	}

}
