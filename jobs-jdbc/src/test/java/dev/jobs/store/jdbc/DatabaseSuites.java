package dev.jobs.store.jdbc;

import dev.jobs.store.JobStore;
import dev.jobs.store.contract.engine.AwaitSuite;
import dev.jobs.store.contract.engine.BesideOthers;
import dev.jobs.store.contract.engine.BulkSuite;
import dev.jobs.store.contract.engine.CronSuite;
import dev.jobs.store.contract.engine.EnqueueSuite;
import dev.jobs.store.contract.engine.FaultSuite;
import dev.jobs.store.contract.engine.FreshnessSuite;
import dev.jobs.store.contract.engine.LimitSuite;
import dev.jobs.store.contract.engine.PrioritySuite;
import dev.jobs.store.contract.engine.PutScheduleSuite;
import dev.jobs.store.contract.engine.RescueSuite;
import dev.jobs.store.contract.engine.ResultSuite;
import dev.jobs.store.contract.engine.RetrySuite;
import dev.jobs.store.contract.engine.RunSuite;
import dev.jobs.store.contract.engine.SettingsSuite;
import dev.jobs.store.contract.engine.SignalSuite;
import dev.jobs.store.contract.engine.StepSuite;
import dev.jobs.store.contract.engine.StopSuite;
import dev.jobs.store.contract.engine.UniqueSuite;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.api.parallel.ResourceLock;

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
	@BesideOthers
	class Await extends AwaitSuite {

		@Override
		protected JobStore createStore() {
			return DatabaseSuites.this.database.openStore();
		}

		@Override
		protected void destroyStore(JobStore store) {
			DatabaseSuites.this.database.closeStore(store);
		}

	}

	@Nested
	@BesideOthers
	class Bulk extends BulkSuite {

		@Override
		protected JobStore createStore() {
			return DatabaseSuites.this.database.openStore();
		}

		@Override
		protected void destroyStore(JobStore store) {
			DatabaseSuites.this.database.closeStore(store);
		}

	}

	@Nested
	@BesideOthers
	class Cron extends CronSuite {

		@Override
		protected JobStore createStore() {
			return DatabaseSuites.this.database.openStore();
		}

		@Override
		protected void destroyStore(JobStore store) {
			DatabaseSuites.this.database.closeStore(store);
		}

	}

	@Nested
	@BesideOthers
	class PutSchedule extends PutScheduleSuite {

		@Override
		protected JobStore createStore() {
			return DatabaseSuites.this.database.openStore();
		}

		@Override
		protected void destroyStore(JobStore store) {
			DatabaseSuites.this.database.closeStore(store);
		}

	}

	@Nested
	@BesideOthers
	class Enqueue extends EnqueueSuite {

		@Override
		protected JobStore createStore() {
			return DatabaseSuites.this.database.openStore();
		}

		@Override
		protected void destroyStore(JobStore store) {
			DatabaseSuites.this.database.closeStore(store);
		}

	}

	@Nested
	@BesideOthers
	class Fault extends FaultSuite {

		@Override
		protected JobStore createStore() {
			return DatabaseSuites.this.database.openStore();
		}

		@Override
		protected void destroyStore(JobStore store) {
			DatabaseSuites.this.database.closeStore(store);
		}

	}

	@Nested
	@BesideOthers
	class Limit extends LimitSuite {

		@Override
		protected JobStore createStore() {
			return DatabaseSuites.this.database.openStore();
		}

		@Override
		protected void destroyStore(JobStore store) {
			DatabaseSuites.this.database.closeStore(store);
		}

	}

	@Nested
	@BesideOthers
	class Priority extends PrioritySuite {

		@Override
		protected JobStore createStore() {
			return DatabaseSuites.this.database.openStore();
		}

		@Override
		protected void destroyStore(JobStore store) {
			DatabaseSuites.this.database.closeStore(store);
		}

	}

	@Nested
	@BesideOthers
	class Rescue extends RescueSuite {

		@Override
		protected JobStore createStore() {
			return DatabaseSuites.this.database.openStore();
		}

		@Override
		protected void destroyStore(JobStore store) {
			DatabaseSuites.this.database.closeStore(store);
		}

	}

	@Nested
	@BesideOthers
	class Retry extends RetrySuite {

		@Override
		protected JobStore createStore() {
			return DatabaseSuites.this.database.openStore();
		}

		@Override
		protected void destroyStore(JobStore store) {
			DatabaseSuites.this.database.closeStore(store);
		}

	}

	@Nested
	@BesideOthers
	class Run extends RunSuite {

		@Override
		protected JobStore createStore() {
			return DatabaseSuites.this.database.openStore();
		}

		@Override
		protected void destroyStore(JobStore store) {
			DatabaseSuites.this.database.closeStore(store);
		}

	}

	@Nested
	@Execution(ExecutionMode.CONCURRENT)
	@ResourceLock(BesideOthers.THREADS)
	class Stop extends StopSuite {

		@Override
		protected JobStore createStore() {
			return DatabaseSuites.this.database.openStore();
		}

		@Override
		protected void destroyStore(JobStore store) {
			DatabaseSuites.this.database.closeStore(store);
		}

	}

	@Nested
	@BesideOthers
	class Settings extends SettingsSuite {

		@Override
		protected JobStore createStore() {
			return DatabaseSuites.this.database.openStore();
		}

		@Override
		protected void destroyStore(JobStore store) {
			DatabaseSuites.this.database.closeStore(store);
		}

	}

	@Nested
	@BesideOthers
	class Freshness extends FreshnessSuite {

		@Override
		protected JobStore createStore() {
			return DatabaseSuites.this.database.openStore();
		}

		@Override
		protected void destroyStore(JobStore store) {
			DatabaseSuites.this.database.closeStore(store);
		}

	}

	@Nested
	@BesideOthers
	class Results extends ResultSuite {

		@Override
		protected JobStore createStore() {
			return DatabaseSuites.this.database.openStore();
		}

		@Override
		protected void destroyStore(JobStore store) {
			DatabaseSuites.this.database.closeStore(store);
		}

	}

	@Nested
	@BesideOthers
	class Signals extends SignalSuite {

		@Override
		protected JobStore createStore() {
			return DatabaseSuites.this.database.openStore();
		}

		@Override
		protected void destroyStore(JobStore store) {
			DatabaseSuites.this.database.closeStore(store);
		}

	}

	@Nested
	@BesideOthers
	class Steps extends StepSuite {

		@Override
		protected JobStore createStore() {
			return DatabaseSuites.this.database.openStore();
		}

		@Override
		protected void destroyStore(JobStore store) {
			DatabaseSuites.this.database.closeStore(store);
		}

	}

	@Nested
	@BesideOthers
	class Unique extends UniqueSuite {

		@Override
		protected JobStore createStore() {
			return DatabaseSuites.this.database.openStore();
		}

		@Override
		protected void destroyStore(JobStore store) {
			DatabaseSuites.this.database.closeStore(store);
		}

	}

}
