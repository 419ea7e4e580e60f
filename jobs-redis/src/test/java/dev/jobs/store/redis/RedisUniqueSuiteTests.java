package dev.jobs.store.redis;

import dev.jobs.store.JobStore;
import dev.jobs.store.contract.engine.UniqueSuite;

/**
 * {@link UniqueSuite} on Redis.
 */
class RedisUniqueSuiteTests extends UniqueSuite {

	@Override
	protected JobStore createStore() {
		return TestRedisUser.createStore();
	}

	@Override
	protected void destroyStore(JobStore store) {
		TestRedis.destroyStore(store);
	}

}
