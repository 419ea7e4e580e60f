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

	static List<TestDatabase> databases() {
		return TestDatabase.present().stream().filter((database) -> database != TestDatabase.SQLITE).toList();
	}

	@ParameterizedTest
	@MethodSource("databases")
	void tableThatIsNotThereIsNotFound(TestDatabase server) {
		JobStore store = server.createStore();
		String table = server.prefix(store) + "job";
		assertThat(findsNo(server, table)).isFalse();
		server.destroyStore(store);
		assertThat(findsNo(server, table)).isTrue();
	}

	private static boolean findsNo(TestDatabase server, String table) {
		return SchemaCheck.findsNo(server.dataSource(), Database.of(server.dataSource()), table);
	}

}
