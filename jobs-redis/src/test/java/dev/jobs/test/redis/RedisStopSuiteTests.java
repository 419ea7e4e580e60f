package dev.jobs.test.redis;

import dev.jobs.store.JobStore;
import dev.jobs.test.engine.StopSuite;

/**
 * {@link StopSuite} on Redis.
 */
class RedisStopSuiteTests extends StopSuite {

	@Override
	protected JobStore createStore() {
		return TestRedis.createStore();
	}

	@Override
	protected void destroyStore(JobStore store) {
		TestRedis.destroyStore(store);
	}

}
