package dev.jobs.store.redis;

import dev.jobs.store.JobStore;
import dev.jobs.store.contract.JobStoreParity;

/**
 * Compares the store in Redis with the one in memory.
 */
class RedisJobStoreParityTests extends JobStoreParity {

	@Override
	protected JobStore createStore() {
		return TestRedisUser.createStore();
	}

	@Override
	protected void destroyStore(JobStore store) {
		TestRedis.destroyStore(store);
	}

}
