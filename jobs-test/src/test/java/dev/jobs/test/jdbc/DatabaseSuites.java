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

/**
 * All engine suites, on one database.
 */
abstract class DatabaseSuites {

	private final TestDatabase database;

	DatabaseSuites(TestDatabase database) {
		this.database = database;
	}

	@Nested
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
