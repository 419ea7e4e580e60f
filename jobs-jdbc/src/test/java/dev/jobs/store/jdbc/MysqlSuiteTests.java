package dev.jobs.store.jdbc;

/**
 * All engine suites on MySQL.
 */
class MysqlSuiteTests extends DatabaseSuites {

	MysqlSuiteTests() {
		super(TestDatabase.MYSQL);
	}

}
