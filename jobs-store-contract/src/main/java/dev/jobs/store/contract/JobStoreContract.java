package dev.jobs.store.contract;

import dev.jobs.store.JobStore;
import org.junit.jupiter.api.Nested;

/**
 * The promises of every {@link JobStore}, one test for each. To test a store, extend this
 * class and create the store.
 * <p>
 * Time is passed in, so the tests never sleep; all instants are whole milliseconds. After
 * each test the store is searched for jobs that are in two states, in none, or have lost
 * their payload.
 */
public abstract class JobStoreContract {

	private final StoreSource source = new StoreSource(this::createStore, this::destroyStore);

	/**
	 * Return a store of an empty namespace that no other test uses.
	 * @return the store
	 */
	protected abstract JobStore createStore();

	/**
	 * Clean up after a test.
	 * @param store a store made by {@link #createStore()}
	 */
	protected abstract void destroyStore(JobStore store);

	@Nested
	class Enqueue extends EnqueueContract {

		Enqueue() {
			super(JobStoreContract.this.source);
		}

	}

	@Nested
	class UniqueKeys extends UniqueContract {

		UniqueKeys() {
			super(JobStoreContract.this.source);
		}

	}

	@Nested
	class Claim extends ClaimContract {

		Claim() {
			super(JobStoreContract.this.source);
		}

	}

	@Nested
	class RunningLimits extends LimitContract {

		RunningLimits() {
			super(JobStoreContract.this.source);
		}

	}

	@Nested
	class Rates extends RatesContract {

		Rates() {
			super(JobStoreContract.this.source);
		}

	}

	@Nested
	class Lanes extends LanesContract {

		Lanes() {
			super(JobStoreContract.this.source);
		}

	}

	@Nested
	class Urgencies extends UrgencyContract {

		Urgencies() {
			super(JobStoreContract.this.source);
		}

	}

	@Nested
	class LaneSettings extends LaneSettingsContract {

		LaneSettings() {
			super(JobStoreContract.this.source);
		}

	}

	@Nested
	class Combinations extends CombinationsContract {

		Combinations() {
			super(JobStoreContract.this.source);
		}

	}

	@Nested
	class Settle extends SettleContract {

		Settle() {
			super(JobStoreContract.this.source);
		}

	}

	@Nested
	class Beat extends BeatContract {

		Beat() {
			super(JobStoreContract.this.source);
		}

	}

	@Nested
	class TakeOver extends TakeOverContract {

		TakeOver() {
			super(JobStoreContract.this.source);
		}

	}

	@Nested
	class Change extends ChangeContract {

		Change() {
			super(JobStoreContract.this.source);
		}

	}

	@Nested
	class Rules extends RuleContract {

		Rules() {
			super(JobStoreContract.this.source);
		}

	}

	@Nested
	class SavedValues extends SaveContract {

		SavedValues() {
			super(JobStoreContract.this.source);
		}

	}

	@Nested
	class Prune extends PruneContract {

		Prune() {
			super(JobStoreContract.this.source);
		}

	}

	@Nested
	class Freshness extends FreshnessContract {

		Freshness() {
			super(JobStoreContract.this.source);
		}

	}

	@Nested
	class FireTick extends TickContract {

		FireTick() {
			super(JobStoreContract.this.source);
		}

	}

	@Nested
	class PutSchedule extends PutScheduleContract {

		PutSchedule() {
			super(JobStoreContract.this.source);
		}

	}

	@Nested
	class Ends extends EndContract {

		Ends() {
			super(JobStoreContract.this.source);
		}

	}

	@Nested
	class Park extends ParkContract {

		Park() {
			super(JobStoreContract.this.source);
		}

	}

	@Nested
	class Listen extends ListenContract {

		Listen() {
			super(JobStoreContract.this.source);
		}

	}

	@Nested
	class Inspect extends InspectContract {

		Inspect() {
			super(JobStoreContract.this.source);
		}

	}

	@Nested
	class Statistics extends StatisticsContract {

		Statistics() {
			super(JobStoreContract.this.source);
		}

	}

}
