package dev.jobs.store.redis;

import dev.jobs.store.JobStore;
import dev.jobs.store.contract.engine.SettingsSuite;

/**
 * {@link SettingsSuite} on Redis.
 */
class RedisSettingsSuiteTests extends SettingsSuite {

	@Override
	protected JobStore createStore() {
		return TestRedisUser.createStore();
	}

	@Override
	protected void destroyStore(JobStore store) {
		TestRedis.destroyStore(store);
	}

}
