package dev.jobs.store.redis;

import dev.jobs.store.JobStore;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * All suites on a cluster of three masters.
 */
class RedisClusterSuiteTests extends RedisAllSuites {

	@Override
	JobStore newStore() {
		return new RedisJobStore(Connection.FACTORY, TestRedis.newNamespace());
	}

	private static final class Connection {

		private static final LettuceConnectionFactory FACTORY = TestRedisCluster.shared()
			.connect(LettuceClientConfiguration.defaultConfiguration());

	}

}
