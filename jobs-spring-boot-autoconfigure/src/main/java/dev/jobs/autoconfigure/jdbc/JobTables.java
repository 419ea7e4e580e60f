package dev.jobs.autoconfigure.jdbc;

import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
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

import dev.jobs.Credentials;
import dev.jobs.JobStoreException;
import dev.jobs.autoconfigure.properties.InvalidJobsConfigurationException;
import dev.jobs.autoconfigure.properties.JobsProperties;
import dev.jobs.store.ErrorText;
import dev.jobs.store.jdbc.Database;
import dev.jobs.store.jdbc.JdbcJobStore;
import dev.jobs.store.jdbc.JdbcSchema;
import dev.jobs.store.jdbc.PoolerTrial;
import dev.jobs.store.jdbc.SchemaCheck;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.boot.jdbc.init.DataSourceScriptDatabaseInitializer;
import org.springframework.boot.sql.init.DatabaseInitializationSettings;
import org.springframework.core.NestedExceptionUtils;
import org.springframework.core.io.ByteArrayResource;
import org.springframework.core.io.Resource;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.jdbc.support.JdbcUtils;
import org.springframework.jdbc.support.MetaDataAccessException;
import org.springframework.transaction.CannotCreateTransactionException;
import org.springframework.transaction.jta.JtaTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * Creates the tables if that is wanted, and checks that they exist when the application
 * has started. A database that is down, or read-only, does not prevent the start: the
 * tables are then created before the first connection is handed out.
 */
public final class JobTables extends DataSourceScriptDatabaseInitializer implements SmartInitializingSingleton {

	private static final Logger logger = LoggerFactory.getLogger(JobTables.class);

	private static final int TRIES = 5;

	/** How databases refuse a name or a password. */
	private static final Set<String> WRONG_USER = Set.of("28000", "28P01");

	private static final String NO_SCHEMA = "3F000";

	private static final Set<String> WRONG_DATABASE = Set.of("3D000", "90149", "90146");

	/** That of MariaDB, whose state says no more than that a word is wrong. */
	private static final int UNKNOWN_DATABASE = 1049;

	/** Those of H2 for a file that cannot be created or found, or is not named fully. */
	private static final Set<Integer> UNUSABLE_FILE = Set.of(90062, 90124, 90011);

	private static final int SQLITE_CANTOPEN = 14;

	/** Databases that never run in this process. */
	private static final Set<Database> SERVERS = EnumSet.of(Database.POSTGRESQL, Database.MARIADB);

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

	/**
	 * Return those of the outbox.
	 * @param connections the connections to the database
	 * @param properties the properties
	 * @return the tables
	 */
	public static JobTables ofOutbox(JobConnections connections, JobsProperties.Jdbc properties) {
		return new JobTables(connections, properties, Purpose.OUTBOX);
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
				complete(this.connections.database());
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
	 * Create the tables, bring them to the version needed, or add what is missing.
	 * Nothing is run where everything is there: on a server a statement that creates an
	 * index waits for all that write, and they for it, even if the index exists. Where
	 * nothing is there, nothing is tried before, since servers and drivers log what
	 * fails. If two processes that start at the same time collide, the second tries
	 * again.
	 */
	private void complete(Database database) {
		String schema = this.purpose.text.apply(database, this.properties.tablePrefix());
		if (SchemaCheck.findsNothing(getDataSource(), database, schema)) {
			try {
				run(scripts(database, List.of(schema)));
			}
			catch (DataAccessException ex) {
				logger.debug("The tables of the jobs could not be created; a check reports why",
						ErrorText.loggable(ex));
			}
		}
		for (int left = TRIES; left > 0; left--) {
			SchemaCheck check = check(database);
			if (check.missing().isEmpty() && check.missingIndexes().isEmpty()) {
				return;
			}
			try {
				run(scripts(database, statements(database, check)));
			}
			catch (DataAccessException ex) {
				requireSchema(ex);
				if (SchemaCheck.isReadOnly(ex)) {
					throw ex;
				}
				if (left == 1) {
					throw new InvalidJobsConfigurationException(
							"The tables of the jobs could not be created or completed: " + cause(ex),
							"Let the user of the data source create them, or create them by other means and set "
									+ "jobs.jdbc.initialize-schema=never. Their statements are in the resource "
									+ this.purpose.resource.apply(database) + ".",
							ex);
				}
			}
		}
	}

	private void requireSchema(DataAccessException ex) {
		if (NestedExceptionUtils.getMostSpecificCause(ex) instanceof SQLException fault
				&& NO_SCHEMA.equals(fault.getSQLState())) {
			throw new InvalidJobsConfigurationException("The tables of the jobs cannot be created with the prefix "
					+ this.properties.tablePrefix() + ": " + cause(ex),
					"Create the schema, or correct jobs.jdbc.table-prefix.", ex);
		}
	}

	private SchemaCheck check(Database database) {
		return this.purpose.check.of(getDataSource(), database, this.properties.tablePrefix());
	}

	private List<String> statements(Database database, SchemaCheck check) {
		String prefix = this.properties.tablePrefix();
		if (check.version() > 0 && check.version() < JdbcSchema.VERSION) {
			return List.of(JdbcSchema.since(check.version(), database, prefix));
		}
		List<String> statements = new ArrayList<>(check.additions());
		statements.add(this.purpose.text.apply(database, prefix));
		return statements;
	}

	private Scripts scripts(Database database, List<String> statements) {
		List<Resource> scripts = new ArrayList<>();
		if (database == Database.POSTGRESQL) {
			scripts.add(script("select pg_advisory_xact_lock(hashtext('" + this.properties.tablePrefix() + "'))"));
		}
		statements.forEach((text) -> scripts.add(script(text)));
		return new Scripts(scripts);
	}

	private void run(Scripts scripts) {
		new TransactionTemplate(new DataSourceTransactionManager(getDataSource()))
			.executeWithoutResult((status) -> runScripts(scripts));
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
		if (!check.missing().isEmpty()) {
			throw new InvalidJobsConfigurationException(
					this.purpose.wish + " in " + database + ", but something is missing there: "
							+ String.join(", ", check.missing()),
					"Set jobs.jdbc.initialize-schema=always to have it added, or add it, for example by Flyway; the "
							+ "statements are in the resource " + this.purpose.resource.apply(database) + ". "
							+ this.purpose.wayOut);
		}
		if (!check.refused().isEmpty()) {
			throw new InvalidJobsConfigurationException(
					this.purpose.wish + " in " + database + ", but the database user lacks rights: "
							+ String.join(", ", check.refused()),
					"Let the owner of the tables grant them, for example by 'grant " + check.refused().get(0)
							+ " to <user>'. " + this.purpose.wayOut);
		}
		if (!check.missingIndexes().isEmpty()) {
			logger.warn(
					"Without these indexes the jobs take longer: {}. Create them; the statements are in the "
							+ "resource {}",
					String.join(", ", check.missingIndexes()), this.purpose.resource.apply(database));
		}
		if (check.version() > JdbcSchema.VERSION) {
			logger.warn("The tables of the jobs were created by a later version of Jobs than this one, which needs "
					+ "version {} of them", JdbcSchema.VERSION);
		}
	}

	/**
	 * Distinguish a database that refuses this application, or whose pooler mixes up what
	 * it is asked, from one that is down: only the latter comes up by itself.
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

	/**
	 * What tables are for.
	 */
	private enum Purpose {

		STORE(SchemaCheck::of, Database::schemaLocation, JdbcSchema::of, "Jobs are to be kept",
				"To keep jobs elsewhere, set jobs.store."),

		OUTBOX(SchemaCheck::ofOutbox, Database::outboxResource, JdbcSchema::ofOutbox,
				"The outbox of jobs.outbox.enabled=true is to be kept",
				"To do without the outbox, remove jobs.outbox.enabled.");

		private final Check check;

		private final Function<Database, String> resource;

		private final BiFunction<Database, String, String> text;

		private final String wish;

		private final String wayOut;

		Purpose(Check check, Function<Database, String> resource, BiFunction<Database, String, String> text,
				String wish, String wayOut) {
			this.check = check;
			this.resource = resource;
			this.text = text;
			this.wish = wish;
			this.wayOut = wayOut;
		}

	}

	@FunctionalInterface
	private interface Check {

		SchemaCheck of(DataSource dataSource, Database database, String tablePrefix);

	}

}
