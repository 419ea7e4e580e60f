package dev.jobs.test.redis;

import dev.jobs.store.JobStore;
import dev.jobs.test.engine.EnqueueSuite;

/**
 * {@link EnqueueSuite} on Redis.
 */
class RedisEnqueueSuiteTests extends EnqueueSuite {

	@Override
	protected JobStore createStore() {
		return TestRedis.createStore();
	}

	@Override
	protected void destroyStore(JobStore store) {
		TestRedis.destroyStore(store);
	}

}
