package dev.jobs.test.redis;

import dev.jobs.store.JobStore;
import dev.jobs.test.engine.CronSuite;

/**
 * {@link CronSuite} on Redis.
 */
class RedisCronSuiteTests extends CronSuite {

	@Override
	protected JobStore createStore() {
		return TestRedis.createStore();
	}

	@Override
	protected void destroyStore(JobStore store) {
		TestRedis.destroyStore(store);
	}

}
