package dev.jobs.test.jdbc;

/**
 * All engine suites on PostgreSQL.
 */
class PostgresqlSuiteTests extends DatabaseSuites {

	PostgresqlSuiteTests() {
		super(TestDatabase.POSTGRESQL);
	}

}
