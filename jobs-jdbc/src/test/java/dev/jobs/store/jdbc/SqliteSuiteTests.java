package dev.jobs.store.jdbc;

import org.junit.jupiter.api.parallel.ResourceLock;

/**
 * All engine suites on SQLite, one test after the other, since they are in one file.
 */
@ResourceLock("file")
class SqliteSuiteTests extends DatabaseSuites {

	SqliteSuiteTests() {
		super(TestDatabase.SQLITE);
	}

}
