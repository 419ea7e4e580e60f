package dev.jobs.store.redis;

import dev.jobs.store.JobStore;
import dev.jobs.store.contract.engine.FreshnessSuite;

/**
 * {@link FreshnessSuite} on Redis.
 */
class RedisFreshnessSuiteTests extends FreshnessSuite {

	@Override
	protected JobStore createStore() {
		return TestRedisUser.createStore();
	}

	@Override
	protected void destroyStore(JobStore store) {
		TestRedis.destroyStore(store);
	}

}
