package dev.jobs.store.redis;

import dev.jobs.store.JobStore;
import dev.jobs.store.contract.engine.EnqueueSuite;

/**
 * {@link EnqueueSuite} on Redis.
 */
class RedisEnqueueSuiteTests extends EnqueueSuite {

	@Override
	protected JobStore createStore() {
		return TestRedisUser.createStore();
	}

	@Override
	protected void destroyStore(JobStore store) {
		TestRedis.destroyStore(store);
	}

}
