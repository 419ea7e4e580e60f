package dev.jobs.store.redis;

import dev.jobs.store.JobStore;
import dev.jobs.store.contract.JobStoreContract;
import dev.jobs.store.contract.JobStoreParity;
import dev.jobs.store.contract.engine.AwaitSuite;
import dev.jobs.store.contract.engine.BesideOthers;
import dev.jobs.store.contract.engine.BulkSuite;
import dev.jobs.store.contract.engine.CronSuite;
import dev.jobs.store.contract.engine.EnqueueSuite;
import dev.jobs.store.contract.engine.FreshnessSuite;
import dev.jobs.store.contract.engine.LimitSuite;
import dev.jobs.store.contract.engine.PrioritySuite;
import dev.jobs.store.contract.engine.PutScheduleSuite;
import dev.jobs.store.contract.engine.ResultSuite;
import dev.jobs.store.contract.engine.RetrySuite;
import dev.jobs.store.contract.engine.SettingsSuite;
import dev.jobs.store.contract.engine.SignalSuite;
import dev.jobs.store.contract.engine.StepSuite;
import dev.jobs.store.contract.engine.UniqueSuite;
import org.junit.jupiter.api.Nested;

/**
 * All suites, for a topology that needs more than the basic ones.
 */
abstract class RedisAllSuites extends RedisBasicSuites {

	@Nested
	@BesideOthers
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
	@BesideOthers
	class Await extends AwaitSuite {

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
	class Bulk extends BulkSuite {

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
	class Cron extends CronSuite {

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
	class PutSchedule extends PutScheduleSuite {

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
	class Enqueue extends EnqueueSuite {

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
	class Limit extends LimitSuite {

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
	class Parity extends JobStoreParity {

		@Override
		protected JobStore createStore() {
			return newStore();
		}

		@Override
		protected int steps() {
			return 300;
		}

		@Override
		protected void destroyStore(JobStore store) {
			TestRedis.destroyStore(store);
		}

	}

	@Nested
	@BesideOthers
	class Priority extends PrioritySuite {

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
	class Retry extends RetrySuite {

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
	class Settings extends SettingsSuite {

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
	class Freshness extends FreshnessSuite {

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
	class Results extends ResultSuite {

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
	class Signals extends SignalSuite {

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
	class Steps extends StepSuite {

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
	class Unique extends UniqueSuite {

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
