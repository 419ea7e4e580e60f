package dev.jobs.store.redis;

import dev.jobs.store.JobStore;
import dev.jobs.store.contract.engine.BesideOthers;
import dev.jobs.store.contract.engine.FaultSuite;
import dev.jobs.store.contract.engine.RescueSuite;
import dev.jobs.store.contract.engine.RunSuite;
import dev.jobs.store.contract.engine.StopSuite;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.api.parallel.ResourceLock;

/**
 * The suites for each topology, which depend on the connection. They run in parallel,
 * since each test has its own namespace.
 */
abstract class RedisBasicSuites {

	/**
	 * Return a store of a namespace of its own.
	 */
	abstract JobStore newStore();

	@Nested
	@BesideOthers
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
	@BesideOthers
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
	@BesideOthers
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
	@Execution(ExecutionMode.CONCURRENT)
	@ResourceLock(BesideOthers.THREADS)
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
