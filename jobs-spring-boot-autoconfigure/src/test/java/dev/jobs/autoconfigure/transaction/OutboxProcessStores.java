package dev.jobs.autoconfigure.transaction;

import java.net.URI;

import dev.jobs.store.JobStore;
import dev.jobs.store.Outbox;
import dev.jobs.store.contract.process.ProcessStores;
import dev.jobs.store.jdbc.JdbcJobStore;
import dev.jobs.store.redis.RedisJobStore;

import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

/**
 * Opens a store in Redis for processes of tests, and the outbox in a database that they
 * relay to it.
 */
public final class OutboxProcessStores implements ProcessStores {

	@Override
	public JobStore open(String server, String namespace) {
		URI redis = URI.create(server);
		LettuceConnectionFactory factory = new LettuceConnectionFactory(redis.getHost(), redis.getPort());
		factory.afterPropertiesSet();
		factory.start();
		return new RedisJobStore(factory, namespace);
	}

	@Override
	public Outbox openOutbox(String server, String prefix) {
		return JdbcJobStore.builder(new DriverManagerDataSource(server)).tablePrefix(prefix).buildOutbox();
	}

}
