package dev.jobs.store.jdbc.sql;

import java.sql.SQLException;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link SqlFault}.
 */
class SqlFaultTests {

	@ParameterizedTest
	@CsvSource(delimiter = '|',
			value = { "25006 |    0 | cannot execute INSERT in a read-only transaction",
					"25006 | 1792 | Cannot execute statement in a READ ONLY transaction",
					"HY000 | 1290 | The MariaDB server is running with the --read-only option",
					"HY000 | 1290 | The MariaDB server is running with the --super-read-only option",
					"HY000 | 1836 | Running in read-only mode" })
	void serversThatTakeNoWritesAreRecognized(String state, int code, String message) {
		assertThat(SqlFault.of(new SQLException(message, state, code))).isEqualTo(SqlFault.READ_ONLY);
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', value = { "HY000 | 1290 | The MariaDB server is running with --secure-file-priv",
			"42501 |    0 | permission denied for table jobs_job" })
	void otherRefusalsAreNotTakenForThat(String state, int code, String message) {
		assertThat(SqlFault.of(new SQLException(message, state, code))).isNotEqualTo(SqlFault.READ_ONLY);
	}

}
