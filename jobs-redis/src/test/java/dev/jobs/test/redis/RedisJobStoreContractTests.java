package dev.jobs.test.redis;

import dev.jobs.store.JobStore;
import dev.jobs.store.redis.RedisJobStore;
import dev.jobs.test.JobStoreContract;

/**
 * The {@link JobStoreContract} for the {@link RedisJobStore}.
 */
class RedisJobStoreContractTests extends JobStoreContract {

	@Override
	protected JobStore createStore() {
		return TestRedis.createStore();
	}

	@Override
	protected void destroyStore(JobStore store) {
		TestRedis.destroyStore(store);
	}

}
