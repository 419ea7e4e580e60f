package dev.jobs.store.contract.engine;

import dev.jobs.store.JobStore;
import dev.jobs.store.memory.InMemoryJobStore;

/**
 * {@link StepSuite} on the in-memory store.
 */
class InMemoryStepSuiteTests extends StepSuite {

	@Override
	protected JobStore createStore() {
		return new InMemoryJobStore();
	}

}
