package dev.jobs.store.redis;

import dev.jobs.store.JobStore;
import dev.jobs.store.contract.engine.StepSuite;

/**
 * {@link StepSuite} on Redis.
 */
class RedisStepSuiteTests extends StepSuite {

	@Override
	protected JobStore createStore() {
		return TestRedisUser.createStore();
	}

	@Override
	protected void destroyStore(JobStore store) {
		TestRedis.destroyStore(store);
	}

}
