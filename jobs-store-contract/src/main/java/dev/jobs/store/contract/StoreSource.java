package dev.jobs.store.contract;

import java.util.function.Consumer;
import java.util.function.Supplier;

import dev.jobs.store.JobStore;

/**
 * Creates the stores for the parts of the {@link JobStoreContract}.
 *
 * @param create returns a store of an empty namespace that no other test uses
 * @param destroy cleans up after a test
 */
record StoreSource(Supplier<JobStore> create, Consumer<JobStore> destroy) {

}
