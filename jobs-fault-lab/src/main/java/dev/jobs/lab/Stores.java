package dev.jobs.lab;

import java.net.URI;
import java.time.Duration;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.jobs.store.JobStore;
import dev.jobs.store.jdbc.JdbcJobStore;
import dev.jobs.store.redis.RedisDurability;
import dev.jobs.store.redis.RedisJobStore;

import org.springframework.data.redis.connection.RedisSentinelConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

/**
 * How processes reach the store of a trial: {@code redis://host:port},
 * {@code sentinel://host:port} or a URL of JDBC.
 */
final class Stores {

	/** The name by which the sentinel knows the servers. */
	static final String SENTINEL_NAME = "jobs";

	private Stores() {
	}

	static JobStore connect(String server, String namespace) {
		if (server.startsWith("jdbc:")) {
			return jdbc(server, namespace);
		}
		URI uri = URI.create(server);
		if (uri.getScheme().equals("sentinel")) {
			RedisSentinelConfiguration sentinel = new RedisSentinelConfiguration().master(SENTINEL_NAME)
				.sentinel(uri.getHost(), uri.getPort());
			// With one copy of an acknowledged job on the other server, it survives this
			// one.
			return new RedisJobStore(started(new LettuceConnectionFactory(sentinel)), namespace,
					RedisDurability.replicated(1, Duration.ofSeconds(1)));
		}
		return new RedisJobStore(started(new LettuceConnectionFactory(uri.getHost(), uri.getPort())), namespace);
	}

	private static LettuceConnectionFactory started(LettuceConnectionFactory factory) {
		factory.afterPropertiesSet();
		factory.start();
		return factory;
	}

	private static JobStore jdbc(String url, String namespace) {
		HikariConfig config = new HikariConfig();
		config.setJdbcUrl(url);
		config.setMaximumPoolSize(6);
		config.setConnectionTimeout(2000);
		config.setInitializationFailTimeout(-1);
		return JdbcJobStore.builder(new HikariDataSource(config))
			.tablePrefix(namespace)
			.listen(new DriverManagerDataSource(url))
			.build();
	}

}
