package dev.jobs.test.jdbc;

/**
 * All engine suites on SQLite.
 */
class SqliteSuiteTests extends DatabaseSuites {

	SqliteSuiteTests() {
		super(TestDatabase.SQLITE);
	}

}
