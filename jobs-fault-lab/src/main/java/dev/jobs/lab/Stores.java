package dev.jobs.lab;

import java.net.URI;
import java.time.Duration;
import java.util.List;

import javax.sql.DataSource;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.jobs.store.JobStore;
import dev.jobs.store.jdbc.JdbcJobStore;
import dev.jobs.store.redis.RedisDurability;
import dev.jobs.store.redis.RedisJobStore;
import io.lettuce.core.TimeoutOptions;
import io.lettuce.core.cluster.ClusterClientOptions;
import io.lettuce.core.cluster.ClusterTopologyRefreshOptions;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisSentinelConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

/**
 * The store of a trial, as processes reach it: {@code redis://host:port},
 * {@code sentinel://host:port}, {@code cluster://host:port,host:port} or a URL of JDBC.
 *
 * @param store the store
 * @param database the database that it is in, or {@code null} if it is in none
 */
record Stores(JobStore store, @Nullable DataSource database) {

	/** The name by which the sentinel knows the servers. */
	static final String SENTINEL_NAME = "jobs";

	/** Begins the address of a cluster, which names all nodes. */
	static final String CLUSTER = "cluster://";

	/**
	 * With one copy of an acknowledged job on another server, it survives the first one.
	 */
	private static final RedisDurability REPLICATED = RedisDurability.replicated(1, Duration.ofSeconds(1));

	static Stores connect(String server, String namespace) {
		if (server.startsWith("jdbc:")) {
			return jdbc(server, namespace);
		}
		if (server.startsWith(CLUSTER)) {
			return cluster(List.of(server.substring(CLUSTER.length()).split(",")), namespace);
		}
		URI uri = URI.create(server);
		if (uri.getScheme().equals("sentinel")) {
			RedisSentinelConfiguration sentinel = new RedisSentinelConfiguration().master(SENTINEL_NAME)
				.sentinel(uri.getHost(), uri.getPort());
			return new Stores(new RedisJobStore(started(new LettuceConnectionFactory(sentinel)), namespace, REPLICATED),
					null);
		}
		return new Stores(
				new RedisJobStore(started(new LettuceConnectionFactory(uri.getHost(), uri.getPort())), namespace),
				null);
	}

	private static LettuceConnectionFactory started(LettuceConnectionFactory factory) {
		factory.afterPropertiesSet();
		factory.start();
		return factory;
	}

	private static Stores cluster(List<String> nodes, String namespace) {
		// As Spring Boot does it.
		ClusterClientOptions options = ClusterClientOptions.builder()
			.topologyRefreshOptions(ClusterTopologyRefreshOptions.builder().dynamicRefreshSources(true).build())
			.timeoutOptions(TimeoutOptions.enabled())
			.build();
		LettuceConnectionFactory factory = new LettuceConnectionFactory(new RedisClusterConfiguration(nodes),
				LettuceClientConfiguration.builder().clientOptions(options).build());
		return new Stores(new RedisJobStore(started(factory), namespace, REPLICATED), null);
	}

	private static Stores jdbc(String url, String namespace) {
		HikariConfig config = new HikariConfig();
		config.setJdbcUrl(url);
		config.setMaximumPoolSize(10);
		config.setConnectionTimeout(2000);
		config.setInitializationFailTimeout(-1);
		DataSource database = new HikariDataSource(config);
		return new Stores(
				JdbcJobStore.builder(database).tablePrefix(namespace).listen(new DriverManagerDataSource(url)).build(),
				database);
	}

}
