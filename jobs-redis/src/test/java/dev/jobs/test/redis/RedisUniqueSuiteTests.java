package dev.jobs.test.redis;

import dev.jobs.store.JobStore;
import dev.jobs.test.engine.UniqueSuite;

/**
 * {@link UniqueSuite} on Redis.
 */
class RedisUniqueSuiteTests extends UniqueSuite {

	@Override
	protected JobStore createStore() {
		return TestRedis.createStore();
	}

	@Override
	protected void destroyStore(JobStore store) {
		TestRedis.destroyStore(store);
	}

}
