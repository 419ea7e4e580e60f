package dev.jobs.store.jdbc;

/**
 * The same beside a transaction that was prepared and forgotten.
 */
class PostgresForgottenPreparedTests extends PostgresOldSnapshotTests {

	@Override
	LongTransaction other() {
		return LongTransaction.IS_PREPARED;
	}

}
