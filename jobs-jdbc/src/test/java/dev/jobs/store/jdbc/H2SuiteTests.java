package dev.jobs.store.jdbc;

/**
 * All engine suites on H2.
 */
class H2SuiteTests extends DatabaseSuites {

	H2SuiteTests() {
		super(TestDatabase.H2);
	}

}
