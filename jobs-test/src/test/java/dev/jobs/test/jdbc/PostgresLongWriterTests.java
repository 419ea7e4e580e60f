package dev.jobs.test.jdbc;

/**
 * The same beside a transaction that has written.
 */
class PostgresLongWriterTests extends PostgresOldSnapshotTests {

	PostgresLongWriterTests() {
		super(LongTransaction.HAS_WRITTEN);
	}

}
