package dev.jobs.store.jdbc;

import java.util.List;

import dev.jobs.store.JobStore;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link SchemaCheck}.
 */
class SchemaCheckTests {

	static List<TestDatabase> servers() {
		return TestDatabase.present()
			.stream()
			.filter((database) -> database != TestDatabase.H2 && database != TestDatabase.SQLITE)
			.toList();
	}

	@ParameterizedTest
	@MethodSource("servers")
	void serverWithoutTheTablesHasNothing(TestDatabase server) {
		JobStore store = server.createStore();
		String schema = JdbcSchema.of(Database.of(server.dataSource()), server.prefix(store));
		assertThat(findsNothing(server, schema)).isFalse();
		server.destroyStore(store);
		assertThat(findsNothing(server, schema)).isTrue();
	}

	private static boolean findsNothing(TestDatabase server, String schema) {
		return SchemaCheck.findsNothing(server.dataSource(), Database.of(server.dataSource()), schema);
	}

}
