package dev.jobs.test.jdbc;

import dev.jobs.store.JobStore;
import dev.jobs.test.engine.CronSuite;
import dev.jobs.test.engine.EnqueueSuite;
import dev.jobs.test.engine.FaultSuite;
import dev.jobs.test.engine.LimitSuite;
import dev.jobs.test.engine.PrioritySuite;
import dev.jobs.test.engine.RescueSuite;
import dev.jobs.test.engine.RetrySuite;
import dev.jobs.test.engine.RunSuite;
import dev.jobs.test.engine.StopSuite;
import dev.jobs.test.engine.UniqueSuite;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * All engine suites, on one database. They run beside each other, since each test has
 * tables of its own.
 */
abstract class DatabaseSuites {

	private final TestDatabase database;

	DatabaseSuites(TestDatabase database) {
		this.database = database;
	}

	@Nested
	@Execution(ExecutionMode.CONCURRENT)
	class Cron extends CronSuite {

		@Override
		protected JobStore createStore() {
			return DatabaseSuites.this.database.createStore();
		}

		@Override
		protected void destroyStore(JobStore store) {
			DatabaseSuites.this.database.destroyStore(store);
		}

	}

	@Nested
	@Execution(ExecutionMode.CONCURRENT)
	class Enqueue extends EnqueueSuite {

		@Override
		protected JobStore createStore() {
			return DatabaseSuites.this.database.createStore();
		}

		@Override
		protected void destroyStore(JobStore store) {
			DatabaseSuites.this.database.destroyStore(store);
		}

	}

	@Nested
	@Execution(ExecutionMode.CONCURRENT)
	class Fault extends FaultSuite {

		@Override
		protected JobStore createStore() {
			return DatabaseSuites.this.database.createStore();
		}

		@Override
		protected void destroyStore(JobStore store) {
			DatabaseSuites.this.database.destroyStore(store);
		}

	}

	@Nested
	@Execution(ExecutionMode.CONCURRENT)
	class Limit extends LimitSuite {

		@Override
		protected JobStore createStore() {
			return DatabaseSuites.this.database.createStore();
		}

		@Override
		protected void destroyStore(JobStore store) {
			DatabaseSuites.this.database.destroyStore(store);
		}

	}

	@Nested
	@Execution(ExecutionMode.CONCURRENT)
	class Priority extends PrioritySuite {

		@Override
		protected JobStore createStore() {
			return DatabaseSuites.this.database.createStore();
		}

		@Override
		protected void destroyStore(JobStore store) {
			DatabaseSuites.this.database.destroyStore(store);
		}

	}

	@Nested
	@Execution(ExecutionMode.CONCURRENT)
	class Rescue extends RescueSuite {

		@Override
		protected JobStore createStore() {
			return DatabaseSuites.this.database.createStore();
		}

		@Override
		protected void destroyStore(JobStore store) {
			DatabaseSuites.this.database.destroyStore(store);
		}

	}

	@Nested
	@Execution(ExecutionMode.CONCURRENT)
	class Retry extends RetrySuite {

		@Override
		protected JobStore createStore() {
			return DatabaseSuites.this.database.createStore();
		}

		@Override
		protected void destroyStore(JobStore store) {
			DatabaseSuites.this.database.destroyStore(store);
		}

	}

	@Nested
	@Execution(ExecutionMode.CONCURRENT)
	class Run extends RunSuite {

		@Override
		protected JobStore createStore() {
			return DatabaseSuites.this.database.createStore();
		}

		@Override
		protected void destroyStore(JobStore store) {
			DatabaseSuites.this.database.destroyStore(store);
		}

	}

	@Nested
	@Execution(ExecutionMode.CONCURRENT)
	class Stop extends StopSuite {

		@Override
		protected JobStore createStore() {
			return DatabaseSuites.this.database.createStore();
		}

		@Override
		protected void destroyStore(JobStore store) {
			DatabaseSuites.this.database.destroyStore(store);
		}

	}

	@Nested
	@Execution(ExecutionMode.CONCURRENT)
	class Unique extends UniqueSuite {

		@Override
		protected JobStore createStore() {
			return DatabaseSuites.this.database.createStore();
		}

		@Override
		protected void destroyStore(JobStore store) {
			DatabaseSuites.this.database.destroyStore(store);
		}

	}

}
