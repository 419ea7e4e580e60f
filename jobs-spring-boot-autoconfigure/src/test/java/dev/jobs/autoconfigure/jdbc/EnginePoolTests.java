package dev.jobs.autoconfigure.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;

import com.zaxxer.hikari.HikariDataSource;
import dev.jobs.store.jdbc.Database;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import org.springframework.jdbc.datasource.AbstractDataSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link EnginePool}.
 */
class EnginePoolTests {

	@Test
	void mariadbEndsATransactionThatIsSilent() {
		assertThat(initSql(Database.MARIADB, null)).isEqualTo("set session idle_transaction_timeout = 30");
	}

	@Test
	void initSqlOfTheApplicationsPoolIsKept() {
		assertThat(initSql(Database.MARIADB, "set names utf8mb4")).isEqualTo("set names utf8mb4");
	}

	@Test
	void otherDatabasesAreLeftAlone() {
		assertThat(initSql(Database.H2, null)).isNull();
		assertThat(initSql(null, null)).isNull();
	}

	private static @Nullable String initSql(@Nullable Database database, @Nullable String ofTheApplication) {
		try (HikariDataSource application = new HikariDataSource()) {
			application.setDataSource(new Unreachable());
			application.setConnectionInitSql(ofTheApplication);
			EnginePool pool = EnginePool.like(application);
			assertThat(pool).isNotNull();
			try (HikariDataSource ofTheEngine = (HikariDataSource) pool.open(1, Duration.ofSeconds(30), database)) {
				return ofTheEngine.getConnectionInitSql();
			}
		}
	}

	private static final class Unreachable extends AbstractDataSource {

		@Override
		public Connection getConnection() throws SQLException {
			throw new SQLException("down");
		}

		@Override
		public Connection getConnection(String user, String password) throws SQLException {
			return getConnection();
		}

	}

}
