package dev.jobs.store.contract.engine;

import dev.jobs.store.JobStore;
import dev.jobs.store.memory.InMemoryJobStore;

/**
 * {@link SettingsSuite} on the in-memory store.
 */
class InMemorySettingsSuiteTests extends SettingsSuite {

	@Override
	protected JobStore createStore() {
		return new InMemoryJobStore();
	}

}
