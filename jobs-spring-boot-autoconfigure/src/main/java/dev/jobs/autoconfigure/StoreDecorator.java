package dev.jobs.autoconfigure;

import dev.jobs.store.JobStore;

/**
 * Puts something around the store as the engine sees it.
 */
@FunctionalInterface
interface StoreDecorator {

	JobStore decorate(JobStore store);

}
