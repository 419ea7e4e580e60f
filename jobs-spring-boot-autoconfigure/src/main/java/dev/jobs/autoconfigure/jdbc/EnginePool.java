package dev.jobs.autoconfigure.jdbc;

import java.time.Duration;
import java.util.Map;
import java.util.Properties;

import javax.sql.DataSource;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariConfigMXBean;
import com.zaxxer.hikari.HikariDataSource;
import com.zaxxer.hikari.util.DriverDataSource;
import dev.jobs.store.jdbc.Database;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.jdbc.DataSourceUnwrapper;

/**
 * A few connections for the engine alone, configured like the application's Hikari pool,
 * so that the engine keeps working when handlers hold all connections of that pool.
 */
final class EnginePool {

	/** A silent connection is closed this long after its statement timed out. */
	private static final Duration SOCKET_MARGIN = Duration.ofSeconds(5);

	private static final Duration LONGEST_WAIT = Duration.ofSeconds(5);

	private static final int IDLE = 1;

	private final HikariConfig model;

	private EnginePool(HikariConfig model) {
		this.model = model;
	}

	/**
	 * Find the pool behind a data source.
	 * @return how to make a pool like it, or {@code null} if there is none
	 */
	static @Nullable EnginePool like(DataSource dataSource) {
		HikariDataSource found = DataSourceUnwrapper.unwrap(dataSource, HikariConfigMXBean.class,
				HikariDataSource.class);
		return (found != null) ? new EnginePool(found) : null;
	}

	@Nullable String url() {
		return this.model.getJdbcUrl();
	}

	/**
	 * Open the pool, whether the database is up or not.
	 */
	DataSource open(int size, Duration timeout, @Nullable Database database) {
		HikariConfig config = new HikariConfig();
		config.setPoolName("jobs");
		config.setMaximumPoolSize(size);
		config.setMinimumIdle(IDLE);
		config.setInitializationFailTimeout(-1);
		config.setConnectionTimeout(Math.min(LONGEST_WAIT.toMillis(), timeout.toMillis()));
		config.setValidationTimeout(Math.min(this.model.getValidationTimeout(), config.getConnectionTimeout()));
		config.setMaxLifetime(this.model.getMaxLifetime());
		config.setKeepaliveTime(this.model.getKeepaliveTime());
		copyPlace(config);
		copySession(config);
		if (database == Database.POSTGRESQL) {
			Properties properties = config.getDataSourceProperties();
			properties.putIfAbsent("socketTimeout", String.valueOf(timeout.plus(SOCKET_MARGIN).toSeconds()));
			properties.putIfAbsent("tcpKeepAlive", "true");
		}
		else if (database == Database.MARIADB && config.getConnectionInitSql() == null) {
			config.setConnectionInitSql("set session idle_transaction_timeout = " + timeout.toSeconds());
		}
		return new HikariDataSource(config);
	}

	/**
	 * Close the connections of a pool made here until some are needed.
	 */
	static void rest(DataSource pool) {
		HikariDataSource hikari = (HikariDataSource) pool;
		hikari.getHikariConfigMXBean().setMinimumIdle(0);
		hikari.getHikariPoolMXBean().softEvictConnections();
	}

	/**
	 * Keep connections of a pool made here open again.
	 */
	static void wake(DataSource pool) {
		((HikariDataSource) pool).getHikariConfigMXBean().setMinimumIdle(IDLE);
	}

	/**
	 * Return a data source that opens connections outside any pool, or {@code null} if
	 * the pool does not reveal how.
	 */
	@Nullable DataSource unpooled() {
		if (this.model.getJdbcUrl() == null || this.model.getDataSource() != null) {
			return null;
		}
		Properties properties = new Properties();
		properties.putAll(this.model.getDataSourceProperties());
		properties.putIfAbsent("tcpKeepAlive", "true");
		return new DriverDataSource(this.model.getJdbcUrl(), this.model.getDriverClassName(), properties,
				this.model.getUsername(), this.model.getPassword());
	}

	private void copyPlace(HikariConfig config) {
		config.setJdbcUrl(this.model.getJdbcUrl());
		config.setDataSource(this.model.getDataSource());
		config.setDataSourceClassName(this.model.getDataSourceClassName());
		config.setDataSourceJNDI(this.model.getDataSourceJNDI());
		if (this.model.getDriverClassName() != null) {
			config.setDriverClassName(this.model.getDriverClassName());
		}
		config.setCredentials(this.model.getCredentials());
		if (this.model.getCredentialsProvider() != null) {
			config.setCredentialsProvider(this.model.getCredentialsProvider());
		}
		for (Map.Entry<Object, Object> property : this.model.getDataSourceProperties().entrySet()) {
			config.getDataSourceProperties().put(property.getKey(), property.getValue());
		}
	}

	private void copySession(HikariConfig config) {
		config.setCatalog(this.model.getCatalog());
		config.setSchema(this.model.getSchema());
		config.setConnectionInitSql(this.model.getConnectionInitSql());
		config.setConnectionTestQuery(this.model.getConnectionTestQuery());
		if (this.model.getExceptionOverride() != null) {
			config.setExceptionOverride(this.model.getExceptionOverride());
		}
	}

}
