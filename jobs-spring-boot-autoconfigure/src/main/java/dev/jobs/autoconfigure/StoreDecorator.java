package dev.jobs.autoconfigure;

import dev.jobs.store.JobStore;

/**
 * Wraps the store that the engine uses.
 */
@FunctionalInterface
public interface StoreDecorator {

	/**
	 * Decorate the store.
	 * @param store the store, perhaps decorated already
	 * @return the store to use instead
	 */
	JobStore decorate(JobStore store);

}
