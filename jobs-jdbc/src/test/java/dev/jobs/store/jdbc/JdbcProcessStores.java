package dev.jobs.store.jdbc;

import java.net.URI;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.jobs.store.JobStore;
import dev.jobs.store.Outbox;
import dev.jobs.store.contract.process.ProcessStores;
import dev.jobs.store.redis.RedisJobStore;

import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

/**
 * Opens stores in databases for processes of tests, and the Redis to which an outbox is
 * relayed.
 */
public final class JdbcProcessStores implements ProcessStores {

	@Override
	public JobStore open(String server, String namespace) {
		if (!server.startsWith("jdbc:")) {
			return new RedisJobStore(connect(URI.create(server)), namespace);
		}
		HikariConfig config = new HikariConfig();
		config.setJdbcUrl(server);
		config.setMaximumPoolSize(4);
		return JdbcJobStore.builder(new HikariDataSource(config))
			.tablePrefix(namespace)
			.listen(new DriverManagerDataSource(server))
			.build();
	}

	private static LettuceConnectionFactory connect(URI server) {
		LettuceConnectionFactory factory = new LettuceConnectionFactory(server.getHost(), server.getPort());
		factory.afterPropertiesSet();
		factory.start();
		return factory;
	}

	@Override
	public Outbox openOutbox(String server, String prefix) {
		return JdbcJobStore.builder(new DriverManagerDataSource(server)).tablePrefix(prefix).buildOutbox();
	}

}
