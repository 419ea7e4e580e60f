package dev.jobs.test.redis;

import dev.jobs.store.JobStore;
import dev.jobs.test.JobStoreContract;
import dev.jobs.test.engine.FaultSuite;
import dev.jobs.test.engine.RescueSuite;
import dev.jobs.test.engine.RunSuite;
import dev.jobs.test.engine.StopSuite;
import org.junit.jupiter.api.Nested;

/**
 * What is run on each topology: the contract, and what depends on the connection.
 */
abstract class RedisBasicSuites {

	/**
	 * Return a store of a namespace of its own.
	 */
	abstract JobStore newStore();

	@Nested
	class Contract extends JobStoreContract {

		@Override
		protected JobStore createStore() {
			return newStore();
		}

		@Override
		protected void destroyStore(JobStore store) {
			TestRedis.destroyStore(store);
		}

	}

	@Nested
	class Fault extends FaultSuite {

		@Override
		protected JobStore createStore() {
			return newStore();
		}

		@Override
		protected void destroyStore(JobStore store) {
			TestRedis.destroyStore(store);
		}

	}

	@Nested
	class Rescue extends RescueSuite {

		@Override
		protected JobStore createStore() {
			return newStore();
		}

		@Override
		protected void destroyStore(JobStore store) {
			TestRedis.destroyStore(store);
		}

	}

	@Nested
	class Run extends RunSuite {

		@Override
		protected JobStore createStore() {
			return newStore();
		}

		@Override
		protected void destroyStore(JobStore store) {
			TestRedis.destroyStore(store);
		}

	}

	@Nested
	class Stop extends StopSuite {

		@Override
		protected JobStore createStore() {
			return newStore();
		}

		@Override
		protected void destroyStore(JobStore store) {
			TestRedis.destroyStore(store);
		}

	}

}
