package dev.jobs.test.jdbc;

/**
 * All engine suites on MariaDB.
 */
class MariadbSuiteTests extends DatabaseSuites {

	MariadbSuiteTests() {
		super(TestDatabase.MARIADB);
	}

}
