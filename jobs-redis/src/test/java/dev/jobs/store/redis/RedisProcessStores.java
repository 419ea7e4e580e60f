package dev.jobs.store.redis;

import java.net.URI;

import dev.jobs.store.JobStore;
import dev.jobs.store.contract.process.ProcessStores;

import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * Opens the store in Redis for processes of tests.
 */
public final class RedisProcessStores implements ProcessStores {

	@Override
	public JobStore open(String server, String namespace) {
		URI place = URI.create(server);
		LettuceConnectionFactory factory = new LettuceConnectionFactory(place.getHost(), place.getPort());
		factory.afterPropertiesSet();
		factory.start();
		return new RedisJobStore(factory, namespace);
	}

}
