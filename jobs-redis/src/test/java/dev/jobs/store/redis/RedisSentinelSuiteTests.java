package dev.jobs.store.redis;

import dev.jobs.store.JobStore;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * The basic suites on a master that a sentinel names.
 */
class RedisSentinelSuiteTests extends RedisBasicSuites {

	@Override
	JobStore newStore() {
		return new RedisJobStore(Connection.FACTORY, TestRedis.newNamespace());
	}

	private static final class Connection {

		private static final LettuceConnectionFactory FACTORY = TestRedisSentinel.shared().connect();

	}

}
