package dev.jobs.store.jdbc;

/**
 * All engine suites on PostgreSQL.
 */
class PostgresqlSuiteTests extends DatabaseSuites {

	PostgresqlSuiteTests() {
		super(TestDatabase.POSTGRESQL);
	}

}
