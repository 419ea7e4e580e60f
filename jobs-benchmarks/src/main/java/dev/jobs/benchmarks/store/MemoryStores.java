package dev.jobs.benchmarks.store;

import java.util.Map;

import dev.jobs.store.JobStore;
import dev.jobs.store.memory.InMemoryJobStore;

/**
 * Stores in memory, each gone as soon as nobody refers to it.
 */
public final class MemoryStores implements Stores {

	@Override
	public Opened open() {
		JobStore store = new InMemoryJobStore();
		return new Opened() {

			@Override
			public JobStore store() {
				return store;
			}

			@Override
			public void close() {
				// The collector does it.
			}

		};
	}

	@Override
	public Watch watch() {
		return new Watch() {

			@Override
			public Map<String, Long> counts() {
				return Map.of();
			}

			@Override
			public void close() {
				// There is no server.
			}

		};
	}

	@Override
	public void close() {
		// There is no server.
	}

}
