package dev.jobs.autoconfigure;

import dev.jobs.store.JobStore;

/**
 * Puts something around the store as the engine sees it.
 */
@FunctionalInterface
public interface StoreDecorator {

	/**
	 * Decorate the store.
	 * @param store the store, perhaps decorated already
	 * @return what the engine uses instead
	 */
	JobStore decorate(JobStore store);

}
