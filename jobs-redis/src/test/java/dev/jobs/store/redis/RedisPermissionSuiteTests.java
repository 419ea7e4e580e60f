package dev.jobs.store.redis;

import dev.jobs.store.JobStore;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * The basic suites as a user that may do just what the documentation says.
 */
class RedisPermissionSuiteTests extends RedisBasicSuites {

	@Override
	JobStore newStore() {
		return new RedisJobStore(Connection.FACTORY, TestRedis.newNamespace());
	}

	private static final class Connection {

		private static final LettuceConnectionFactory FACTORY = TestRedisUser.shared().connect();

	}

}
