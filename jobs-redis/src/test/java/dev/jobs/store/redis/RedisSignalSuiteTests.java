package dev.jobs.store.redis;

import dev.jobs.store.JobStore;
import dev.jobs.store.contract.engine.SignalSuite;

/**
 * {@link SignalSuite} on Redis.
 */
class RedisSignalSuiteTests extends SignalSuite {

	@Override
	protected JobStore createStore() {
		return TestRedisUser.createStore();
	}

	@Override
	protected void destroyStore(JobStore store) {
		TestRedis.destroyStore(store);
	}

}
