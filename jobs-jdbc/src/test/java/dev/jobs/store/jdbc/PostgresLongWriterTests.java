package dev.jobs.store.jdbc;

/**
 * The same beside a transaction that has written.
 */
class PostgresLongWriterTests extends PostgresOldSnapshotTests {

	@Override
	LongTransaction other() {
		return LongTransaction.HAS_WRITTEN;
	}

}
