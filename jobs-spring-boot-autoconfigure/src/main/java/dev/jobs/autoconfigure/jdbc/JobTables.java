package dev.jobs.autoconfigure.jdbc;

import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.SQLException;
import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;

import javax.sql.DataSource;

import dev.jobs.JobStoreException;
import dev.jobs.autoconfigure.properties.InvalidJobsConfigurationException;
import dev.jobs.autoconfigure.properties.JobsProperties;
import dev.jobs.store.jdbc.Database;
import dev.jobs.store.jdbc.JdbcJobStore;
import dev.jobs.store.jdbc.JdbcSchema;
import dev.jobs.store.jdbc.PoolerTrial;
import dev.jobs.store.jdbc.SchemaCheck;
import dev.jobs.text.Credentials;
import dev.jobs.text.ErrorText;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.boot.jdbc.init.DataSourceScriptDatabaseInitializer;
import org.springframework.boot.sql.init.DatabaseInitializationSettings;
import org.springframework.core.NestedExceptionUtils;
import org.springframework.core.io.ByteArrayResource;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.jdbc.support.JdbcUtils;
import org.springframework.jdbc.support.MetaDataAccessException;
import org.springframework.transaction.CannotCreateTransactionException;
import org.springframework.transaction.jta.JtaTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * Creates the tables if configured, and checks that they can be used when the application
 * has started. A database that is down, or read-only, does not prevent the start: then
 * the tables are created before the first connection is handed out.
 */
public final class JobTables extends DataSourceScriptDatabaseInitializer implements SmartInitializingSingleton {

	private static final Logger logger = LoggerFactory.getLogger(JobTables.class);

	private static final int TRIES = 5;

	/** The SQL states for a refused name or password. */
	private static final Set<String> WRONG_USER = Set.of("28000", "28P01");

	private static final Set<String> WRONG_DATABASE = Set.of("3D000", "90149", "90146");

	/** MariaDB's code; its state only reports a syntax error. */
	private static final int UNKNOWN_DATABASE = 1049;

	/** H2's codes for a file that cannot be created or found, or has no full path. */
	private static final Set<Integer> UNUSABLE_FILE = Set.of(90062, 90124, 90011);

	private static final int SQLITE_CANTOPEN = 14;

	private final JobConnections connections;

	private final JobsProperties.Jdbc properties;

	private final boolean outbox;

	private final ReentrantLock lock = new ReentrantLock();

	private volatile boolean pending = true;

	private JobTables(JobConnections connections, JobsProperties.Jdbc properties, boolean outbox) {
		super(connections.engine(), new DatabaseInitializationSettings());
		this.connections = connections;
		this.properties = properties;
		this.outbox = outbox;
	}

	static JobTables ofStore(JobConnections connections, JobsProperties.Jdbc properties) {
		return new JobTables(connections, properties, false);
	}

	/**
	 * Return the tables of the outbox.
	 * @param connections the connections to the database
	 * @param properties the properties
	 * @return the tables
	 */
	public static JobTables ofOutbox(JobConnections connections, JobsProperties.Jdbc properties) {
		return new JobTables(connections, properties, true);
	}

	@Override
	public void afterPropertiesSet() {
		try {
			initializeDatabase();
		}
		catch (DataAccessException | CannotCreateTransactionException | JobStoreException ex) {
			requireEntry(ex);
			warn(ex);
		}
	}

	@Override
	public boolean initializeDatabase() {
		this.lock.lock();
		try {
			if (this.pending) {
				requireNoMixUp();
			}
			boolean wanted = this.pending && isWanted();
			if (wanted) {
				create(this.connections.database());
			}
			this.pending = false;
			return wanted;
		}
		finally {
			this.lock.unlock();
		}
	}

	/**
	 * Refuse a pooler through which acknowledged jobs would be lost.
	 */
	private void requireNoMixUp() {
		if (this.connections.database() == Database.POSTGRESQL
				&& PoolerTrial.mixesUpStatements(this.connections.engine(), this.connections.application())) {
			throw mixedUp();
		}
	}

	private static InvalidJobsConfigurationException mixedUp() {
		return new InvalidJobsConfigurationException(
				"A pooler between here and the database of the jobs mixes up prepared statements, among them commits, "
						+ "so acknowledged jobs would be lost.",
				"Add prepareThreshold=0 to the URL, by default spring.datasource.url, or let PgBouncer 1.21 or later "
						+ "keep prepared statements (max_prepared_statements).");
	}

	private boolean isWanted() {
		return switch (this.properties.initializeSchema()) {
			case NEVER -> false;
			case ALWAYS -> true;
			case EMBEDDED -> isEmbeddedDatabase();
		};
	}

	/**
	 * Return whether the database runs in this process, in memory or in a file.
	 */
	@Override
	protected boolean isEmbeddedDatabase() {
		Database database = this.connections.database();
		if (database != Database.H2) {
			return database == Database.SQLITE;
		}
		try {
			return !JdbcUrl.isRemote(JdbcUtils.extractDatabaseMetaData(getDataSource(), DatabaseMetaData::getURL));
		}
		catch (MetaDataAccessException ex) {
			throw JobStoreException.refused("The database cannot be reached: " + cause(ex), ex, true);
		}
	}

	/**
	 * Run the statements of the tables only if something is missing: on a server,
	 * creating an index waits for all writers, and they wait for it, even if the index
	 * exists. If two processes that start at the same time collide, the second tries
	 * again. A check reports what is still missing.
	 */
	private void create(Database database) {
		boolean missing = SchemaCheck.findsNo(getDataSource(), database,
				this.properties.tablePrefix() + (this.outbox ? "outbox" : "job")) || lacksSomething(database);
		for (int left = TRIES; missing; left--) {
			try {
				run(database);
				return;
			}
			catch (DataAccessException ex) {
				if (SchemaCheck.isReadOnly(ex)) {
					throw ex;
				}
				missing = lacksSomething(database);
				if (missing && left == 1) {
					throw new InvalidJobsConfigurationException(
							"The tables of the jobs could not be created with the prefix "
									+ this.properties.tablePrefix() + ": " + cause(ex),
							"Let the user of the data source create them, or create them by other means and set "
									+ "jobs.jdbc.initialize-schema=never. Their statements are in the resource "
									+ resource(database) + ". If the schema does not exist, create it, or correct "
									+ "jobs.jdbc.table-prefix.",
							ex);
				}
			}
		}
	}

	private boolean lacksSomething(Database database) {
		return !check(database).missing().isEmpty();
	}

	private SchemaCheck check(Database database) {
		return SchemaCheck.of(getDataSource(), database, this.properties.tablePrefix(), this.outbox);
	}

	private String resource(Database database) {
		return this.outbox ? database.outboxResource() : database.schemaLocation();
	}

	private void run(Database database) {
		String prefix = this.properties.tablePrefix();
		String text = this.outbox ? JdbcSchema.ofOutbox(database, prefix) : JdbcSchema.of(database, prefix);
		if (database == Database.POSTGRESQL) {
			text = "select pg_advisory_xact_lock(hashtext('" + prefix + "'));\n" + text;
		}
		Scripts scripts = new Scripts(
				List.of(new ByteArrayResource(text.getBytes(StandardCharsets.UTF_8), "tables of the jobs")));
		new TransactionTemplate(new DataSourceTransactionManager(getDataSource()))
			.executeWithoutResult((status) -> runScripts(scripts));
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
			requireEntry(ex);
			warn(ex);
		}
	}

	private void warn(Exception ex) {
		String what = SchemaCheck.isReadOnly(ex) ? "written to for now, since it is read-only or a standby" : "reached";
		logger.warn(
				"The database of the jobs cannot be {}; jobs run as soon as it can be: {} (its URL, by default "
						+ "spring.datasource.url, is {})",
				what, ErrorText.clean(cause(ex)), ErrorText.clean(this.connections.url()));
	}

	private void requireTables(Database database) {
		SchemaCheck check = check(database);
		String wish = (this.outbox ? "The outbox of jobs.outbox.enabled=true is to be kept" : "Jobs are to be kept")
				+ " in " + database + ", but ";
		String wayOut = this.outbox ? "To do without the outbox, remove jobs.outbox.enabled."
				: "To keep jobs elsewhere, set jobs.store.";
		if (!check.missing().isEmpty()) {
			throw new InvalidJobsConfigurationException(
					wish + "something is missing there: " + String.join(", ", check.missing()),
					"Set jobs.jdbc.initialize-schema=always to have it created, or create it, for example by Flyway; "
							+ "the statements are in the resource " + resource(database)
							+ ". A column is always added by hand. " + wayOut);
		}
		if (!check.refused().isEmpty()) {
			throw new InvalidJobsConfigurationException(
					wish + "the database user lacks rights: " + String.join(", ", check.refused()),
					"Let the owner of the tables grant them, for example by 'grant " + check.refused().get(0)
							+ " to <user>'. " + wayOut);
		}
		if (check.version() > JdbcSchema.VERSION) {
			logger.warn(
					"The tables of the jobs were created by a later version of Jobs than this one, which needs "
							+ "version {} of them, and they have {}. Use the later version here, too",
					JdbcSchema.VERSION, check.version());
		}
	}

	/**
	 * Distinguish a database that refuses this application, or whose pooler mixes up
	 * statements, from one that is down: only the latter comes up by itself.
	 */
	private void requireEntry(Exception ex) {
		if (isFileUnusable(ex)) {
			// The driver's exception would show the URL with its password.
			throw new InvalidJobsConfigurationException(
					"The file of the database of the jobs cannot be opened: " + cause(ex),
					"Correct the URL, by default spring.datasource.url, which is " + this.connections.url()
							+ ", or let the application write to that place.");
		}
		if (!(NestedExceptionUtils.getMostSpecificCause(ex) instanceof SQLException fault)) {
			return;
		}
		if (PoolerTrial.isMixUp(fault)) {
			throw mixedUp();
		}
		String state = String.valueOf(fault.getSQLState());
		if (WRONG_USER.contains(state)) {
			throw new InvalidJobsConfigurationException("The database of the jobs refuses the user: " + cause(ex),
					"Correct spring.datasource.username and spring.datasource.password, or what else describes the "
							+ "data source of the jobs.",
					ex);
		}
		if (WRONG_DATABASE.contains(state) || fault.getErrorCode() == UNKNOWN_DATABASE) {
			throw new InvalidJobsConfigurationException("The server of the jobs has no such database: " + cause(ex),
					"Create it, or correct its name in spring.datasource.url.", ex);
		}
	}

	private boolean isFileUnusable(Exception ex) {
		Database database = this.connections.known();
		if (database != Database.SQLITE && database != Database.H2) {
			return false;
		}
		for (Throwable cause = ex; cause != null; cause = cause.getCause()) {
			if (cause instanceof FileSystemException
					|| (cause instanceof SQLException fault && (UNUSABLE_FILE.contains(fault.getErrorCode())
							|| (database == Database.SQLITE && fault.getErrorCode() == SQLITE_CANTOPEN)))) {
				return true;
			}
		}
		return false;
	}

	/**
	 * Return a builder of a store or an outbox that uses the connections and the tables.
	 * @param jta finds the manager of JTA transactions
	 * @return the builder
	 */
	public JdbcJobStore.Builder builder(ObjectProvider<JtaTransactionManager> jta) {
		JdbcJobStore.Builder builder = JdbcJobStore.builder(this.connections.application())
			.engine(checked(this.connections.engine()))
			.suspend(jta::getIfUnique)
			.tablePrefix(this.properties.tablePrefix())
			.timeout(this.properties.timeout());
		Database known = this.connections.known();
		return (known != null) ? builder.database(known) : builder;
	}

	/**
	 * Return a data source that hands out connections only once the tables were checked.
	 */
	private DataSource checked(DataSource dataSource) {
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
		return Credentials.hidden(String.valueOf(NestedExceptionUtils.getMostSpecificCause(ex).getMessage()));
	}

}
