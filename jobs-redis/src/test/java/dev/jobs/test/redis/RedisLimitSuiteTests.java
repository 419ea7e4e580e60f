package dev.jobs.test.redis;

import dev.jobs.store.JobStore;
import dev.jobs.test.engine.LimitSuite;

/**
 * {@link LimitSuite} on Redis.
 */
class RedisLimitSuiteTests extends LimitSuite {

	@Override
	protected JobStore createStore() {
		return TestRedis.createStore();
	}

	@Override
	protected void destroyStore(JobStore store) {
		TestRedis.destroyStore(store);
	}

}
