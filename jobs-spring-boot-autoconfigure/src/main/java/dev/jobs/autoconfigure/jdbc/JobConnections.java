package dev.jobs.autoconfigure.jdbc;

import java.util.Locale;
import java.util.function.Supplier;

import javax.sql.DataSource;

import dev.jobs.autoconfigure.properties.InvalidJobsConfigurationException;
import dev.jobs.autoconfigure.properties.JobsProperties;
import dev.jobs.store.jdbc.Database;
import dev.jobs.text.Credentials;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.context.SmartLifecycle;
import org.springframework.util.ClassUtils;
import org.springframework.util.function.SingletonSupplier;

/**
 * The connections of the store. It is not a {@code DataSource} bean, so that nothing else
 * in the application uses the engine's connections. While the application is stopped, as
 * for a checkpoint, they are closed.
 */
public final class JobConnections implements SmartLifecycle, AutoCloseable {

	private static final Logger logger = LoggerFactory.getLogger(JobConnections.class);

	private static final boolean HIKARI = ClassUtils.isPresent("com.zaxxer.hikari.HikariDataSource",
			JobConnections.class.getClassLoader());

	private final String url;

	private final DataSource application;

	private final @Nullable Database known;

	private final DataSource engine;

	private final @Nullable DataSource unpooled;

	private final Supplier<Database> database;

	private volatile boolean running;

	private JobConnections(DataSource application, DataSource engine, @Nullable DataSource unpooled,
			@Nullable Database known, @Nullable String url) {
		this.url = (url != null) ? Credentials.hidden(url) : "unknown";
		this.application = application;
		this.engine = engine;
		this.unpooled = unpooled;
		this.known = known;
		// A MySQL looks like a MariaDB until it is asked.
		this.database = SingletonSupplier
			.of(() -> (known != null && known != Database.MARIADB) ? known : asked(engine, known));
	}

	/**
	 * Prepare connections, without opening any.
	 * @param application the application's data source
	 * @param url its URL, if the application has configured one
	 * @param properties the properties
	 * @param kept the content of the database, as a subject and its verb for messages
	 * @return the connections
	 */
	public static JobConnections of(DataSource application, @Nullable String url, JobsProperties.Jdbc properties,
			String kept) {
		EnginePool like = HIKARI ? EnginePool.like(application) : null;
		String place = (like != null && like.url() != null) ? like.url() : url;
		Database known = known(place, properties.platform());
		boolean own = like != null && properties.poolSize() > 0 && !(place != null && JdbcUrl.isPrivate(place));
		DataSource engine = (like != null && own) ? opened(like, properties, known) : application;
		logger.info("{} in {}, tables {}*, {}", kept,
				(known != null) ? known : "a database that is identified on the first connection",
				properties.tablePrefix(),
				own ? properties.poolSize() + " connections of their own" : "connections of the application");
		return new JobConnections(application, engine, (like != null) ? like.unpooled() : null, known, place);
	}

	private static DataSource opened(EnginePool like, JobsProperties.Jdbc properties, @Nullable Database known) {
		try {
			return like.open(properties.poolSize(), properties.timeout(), known);
		}
		catch (RuntimeException ex) {
			throw new InvalidJobsConfigurationException(
					"The connections of the jobs cannot be prepared: "
							+ Credentials.hidden(String.valueOf(ex.getMessage())),
					"Correct spring.datasource.url, which begins with jdbc:postgresql: for PostgreSQL, or add the driver "
							+ "of the database to the classpath.");
		}
	}

	private static @Nullable Database known(@Nullable String url, JobsProperties.Jdbc.@Nullable Platform platform) {
		Database found = null;
		try {
			found = JdbcUrl.database(url);
		}
		catch (IllegalArgumentException ex) {
			if (platform == null) {
				throw unsupported(ex);
			}
		}
		if (platform == null) {
			return found;
		}
		Database chosen = Database.valueOf(platform.name());
		if (found != null && found != chosen) {
			throw contradiction(chosen, "the URL of the database leads to " + found);
		}
		return chosen;
	}

	/**
	 * Ask the database for its kind, and require the expected one.
	 */
	private static Database asked(DataSource dataSource, @Nullable Database known) {
		Database database;
		try {
			database = Database.of(dataSource);
		}
		catch (IllegalArgumentException ex) {
			throw unsupported(ex);
		}
		if (known != null && known != database) {
			throw contradiction(known, "the database is " + database);
		}
		return database;
	}

	private static InvalidJobsConfigurationException contradiction(Database chosen, String finding) {
		return new InvalidJobsConfigurationException(
				"jobs.jdbc.platform is " + chosen.name().toLowerCase(Locale.ROOT) + ", but " + finding + ".",
				"Remove jobs.jdbc.platform, or correct spring.datasource.url.");
	}

	private static InvalidJobsConfigurationException unsupported(IllegalArgumentException cause) {
		return new InvalidJobsConfigurationException(cause.getMessage() + ".",
				"Set jobs.store=memory or jobs.store=redis, or mark the data source of another database with "
						+ "@JobsDataSource. If it is one of these by another name, set jobs.jdbc.platform.",
				cause);
	}

	/**
	 * Return the URL of the database, without passwords.
	 */
	String url() {
		return this.url;
	}

	DataSource application() {
		return this.application;
	}

	/**
	 * Return the data source of the engine's connections.
	 */
	DataSource engine() {
		return this.engine;
	}

	/**
	 * Return a data source that opens connections outside any pool, or {@code null} if
	 * unknown.
	 */
	@Nullable DataSource unpooled() {
		return this.unpooled;
	}

	/**
	 * Return the kind of database as far as it is known without asking.
	 */
	@Nullable Database known() {
		return this.known;
	}

	/**
	 * Return the kind of database.
	 * @throws dev.jobs.JobStoreException if it must be asked and is out of reach
	 */
	Database database() {
		return this.database.get();
	}

	private boolean hasOwnPool() {
		return this.engine != this.application;
	}

	@Override
	public void start() {
		this.running = true;
		if (hasOwnPool()) {
			EnginePool.wake(this.engine);
		}
	}

	@Override
	public void stop() {
		this.running = false;
		if (hasOwnPool()) {
			EnginePool.rest(this.engine);
		}
	}

	@Override
	public boolean isRunning() {
		return this.running;
	}

	/** They start before the engine and stop after it. */
	@Override
	public int getPhase() {
		return 0;
	}

	@Override
	public void close() throws Exception {
		if (hasOwnPool() && this.engine instanceof AutoCloseable pool) {
			pool.close();
		}
	}

}
