package dev.jobs.store.redis;

import dev.jobs.store.JobStore;
import dev.jobs.store.contract.engine.PutScheduleSuite;

/**
 * {@link PutScheduleSuite} on Redis.
 */
class RedisPutScheduleSuiteTests extends PutScheduleSuite {

	@Override
	protected JobStore createStore() {
		return TestRedisUser.createStore();
	}

	@Override
	protected void destroyStore(JobStore store) {
		TestRedis.destroyStore(store);
	}

}
