package dev.jobs.autoconfigure;

import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BiFunction;
import java.util.function.Function;

import javax.sql.DataSource;

import dev.jobs.store.JobStoreException;
import dev.jobs.store.jdbc.Database;
import dev.jobs.store.jdbc.JdbcSchema;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.boot.jdbc.init.DataSourceScriptDatabaseInitializer;
import org.springframework.boot.sql.init.DatabaseInitializationSettings;
import org.springframework.core.NestedExceptionUtils;
import org.springframework.core.io.ByteArrayResource;
import org.springframework.core.io.Resource;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.BadSqlGrammarException;
import org.springframework.jdbc.CannotGetJdbcConnectionException;
import org.springframework.jdbc.UncategorizedSQLException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.jdbc.support.JdbcUtils;
import org.springframework.jdbc.support.MetaDataAccessException;
import org.springframework.transaction.CannotCreateTransactionException;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * Creates the tables if that is wanted, and sees that they are there when the application
 * has started. A database that is down keeps nothing from starting: the tables are then
 * created before the first connection is handed out.
 */
final class JobTables extends DataSourceScriptDatabaseInitializer implements SmartInitializingSingleton {

	private static final Logger logger = LoggerFactory.getLogger(JobTables.class);

	private static final int TRIES = 5;

	/** Databases that never run in this process. */
	private static final Set<Database> SERVERS = EnumSet.of(Database.POSTGRESQL, Database.MARIADB, Database.MYSQL);

	private final JobConnections connections;

	private final JobsProperties.Jdbc properties;

	private final Purpose purpose;

	private final ReentrantLock lock = new ReentrantLock();

	private volatile boolean pending = true;

	private JobTables(JobConnections connections, JobsProperties.Jdbc properties, Purpose purpose) {
		super(connections.engine(), new DatabaseInitializationSettings());
		this.connections = connections;
		this.properties = properties;
		this.purpose = purpose;
	}

	static JobTables ofStore(JobConnections connections, JobsProperties.Jdbc properties) {
		return new JobTables(connections, properties, Purpose.STORE);
	}

	static JobTables ofOutbox(JobConnections connections, JobsProperties.Jdbc properties) {
		return new JobTables(connections, properties, Purpose.OUTBOX);
	}

	@Override
	public void afterPropertiesSet() {
		try {
			initializeDatabase();
		}
		catch (CannotGetJdbcConnectionException | CannotCreateTransactionException | JobStoreException ex) {
			logger.warn("The database of the jobs cannot be reached; its tables are seen to as soon as it can: {}",
					cause(ex));
		}
	}

	@Override
	public boolean initializeDatabase() {
		this.lock.lock();
		try {
			boolean wanted = this.pending && isWanted();
			if (wanted && !isComplete()) {
				create(this.connections.database());
			}
			this.pending = false;
			return wanted;
		}
		finally {
			this.lock.unlock();
		}
	}

	private boolean isWanted() {
		return switch (this.properties.initializeSchema()) {
			case NEVER -> false;
			case ALWAYS -> true;
			case EMBEDDED -> isEmbeddedDatabase();
		};
	}

	/**
	 * Return whether the database runs in this process, be it in memory or in a file.
	 */
	@Override
	protected boolean isEmbeddedDatabase() {
		Database database = this.connections.database();
		if (SERVERS.contains(database)) {
			return false;
		}
		try {
			return JdbcUrl.isEmbedded(database,
					JdbcUtils.extractDatabaseMetaData(getDataSource(), DatabaseMetaData::getURL));
		}
		catch (MetaDataAccessException ex) {
			throw JobStoreException.refused("The database cannot be reached: " + cause(ex), ex, true);
		}
	}

	/**
	 * Return whether nothing need be done. On a server a statement that creates an index
	 * waits for all that write, and they for it, even if the index is there.
	 */
	private boolean isComplete() {
		return SERVERS.contains(this.connections.database()) && missing() == null;
	}

	/**
	 * Run the statements. Where two processes that start at once are in each other's way,
	 * the second tries again.
	 */
	private void create(Database database) {
		for (int left = TRIES - 1;; left--) {
			try {
				new TransactionTemplate(new DataSourceTransactionManager(getDataSource()))
					.executeWithoutResult((status) -> runScripts(scripts(database)));
				return;
			}
			catch (DataAccessException ex) {
				if (left == 0) {
					throw new InvalidJobsConfigurationException(
							"The tables of the jobs could not be created: " + cause(ex),
							"Let the user of the data source create them, or create them by other means and set "
									+ "jobs.jdbc.initialize-schema=never. Their statements are in the resource "
									+ this.purpose.resource.apply(database) + ".",
							ex);
				}
			}
		}
	}

	private Scripts scripts(Database database) {
		List<Resource> scripts = new ArrayList<>();
		if (database == Database.POSTGRESQL) {
			scripts.add(script("select pg_advisory_xact_lock(hashtext('" + this.properties.tablePrefix() + "'))"));
		}
		scripts.add(script(this.purpose.text.apply(database, this.properties.tablePrefix())));
		return new Scripts(scripts);
	}

	private static Resource script(String text) {
		return new ByteArrayResource(text.getBytes(StandardCharsets.UTF_8), "tables of the jobs");
	}

	@Override
	public void afterSingletonsInstantiated() {
		if (this.pending) {
			return;
		}
		try {
			requireTables(this.connections.database());
		}
		catch (DataAccessException | JobStoreException ex) {
			logger.warn("The database of the jobs cannot be reached; they run as soon as it can: {}", cause(ex));
		}
	}

	private void requireTables(Database database) {
		String missing = missing();
		if (missing != null) {
			throw new InvalidJobsConfigurationException(
					this.purpose.wish + " in " + database + ", but tables are missing there or cannot be read: "
							+ missing,
					"Set jobs.jdbc.initialize-schema=always to have them created, or create them, for example by "
							+ "Flyway; the statements are in the resource " + this.purpose.resource.apply(database)
							+ ". " + this.purpose.wayOut);
		}
	}

	/**
	 * Return what the database says of the first table that is not there, if any.
	 */
	private @Nullable String missing() {
		JdbcTemplate jdbc = new JdbcTemplate(getDataSource());
		for (String name : this.purpose.tables) {
			try {
				jdbc.queryForList("select 1 from " + this.properties.tablePrefix() + name + " where 1 = 0");
			}
			catch (BadSqlGrammarException | UncategorizedSQLException ex) {
				return cause(ex);
			}
		}
		return null;
	}

	/**
	 * Return a data source that hands out connections only once the tables were seen to.
	 */
	DataSource before(DataSource dataSource) {
		return new DelegatingDataSource(dataSource) {

			@Override
			public Connection getConnection() throws SQLException {
				if (JobTables.this.pending) {
					super.getConnection().close();
					initializeDatabase();
				}
				return super.getConnection();
			}

		};
	}

	private static String cause(Exception ex) {
		return String.valueOf(NestedExceptionUtils.getMostSpecificCause(ex).getMessage());
	}

	/**
	 * What tables are for.
	 */
	private enum Purpose {

		STORE(List.of("job", "queue", "worker", "delivery", "schedule", "ticks", "tally"), Database::schemaResource,
				JdbcSchema::of, "Jobs are to be kept", "To keep jobs elsewhere, set jobs.store."),

		OUTBOX(List.of("outbox"), Database::outboxResource, JdbcSchema::ofOutbox,
				"The outbox of jobs.outbox.enabled=true is to be kept",
				"To do without the outbox, remove jobs.outbox.enabled.");

		private final List<String> tables;

		private final Function<Database, String> resource;

		private final BiFunction<Database, String, String> text;

		private final String wish;

		private final String wayOut;

		Purpose(List<String> tables, Function<Database, String> resource, BiFunction<Database, String, String> text,
				String wish, String wayOut) {
			this.tables = tables;
			this.resource = resource;
			this.text = text;
			this.wish = wish;
			this.wayOut = wayOut;
		}

	}

}
