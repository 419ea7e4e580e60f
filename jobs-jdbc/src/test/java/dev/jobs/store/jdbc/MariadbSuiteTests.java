package dev.jobs.store.jdbc;

/**
 * All engine suites on MariaDB.
 */
class MariadbSuiteTests extends DatabaseSuites {

	MariadbSuiteTests() {
		super(TestDatabase.MARIADB);
	}

}
