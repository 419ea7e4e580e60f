package dev.jobs.autoconfigure;

import java.util.function.Supplier;

import javax.sql.DataSource;

import com.zaxxer.hikari.HikariDataSource;
import dev.jobs.store.jdbc.Database;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.util.ClassUtils;
import org.springframework.util.function.SingletonSupplier;

/**
 * Where the store gets its connections. It is no {@code DataSource} bean, so that nothing
 * else in the application takes the engine's connections for its own.
 */
final class JobConnections implements AutoCloseable {

	private static final Logger logger = LoggerFactory.getLogger(JobConnections.class);

	private static final boolean HIKARI = ClassUtils.isPresent("com.zaxxer.hikari.HikariDataSource",
			JobConnections.class.getClassLoader());

	private final DataSource application;

	private final @Nullable Database known;

	private final @Nullable AutoCloseable pool;

	private final DataSource engine;

	private final @Nullable DataSource unpooled;

	private final Supplier<Database> database;

	private JobConnections(DataSource application, @Nullable Database known, @Nullable EnginePool like, int poolSize,
			JobsProperties.Jdbc properties) {
		this.application = application;
		this.known = known;
		if (like != null && poolSize > 0) {
			HikariDataSource own = like.open(poolSize, properties.timeout(), known);
			this.pool = own;
			this.engine = own;
		}
		else {
			this.pool = null;
			this.engine = application;
		}
		this.unpooled = (like != null) ? like.unpooled() : null;
		this.database = SingletonSupplier.of(() -> (known != null) ? known : asked(this.engine));
	}

	/**
	 * Prepare connections, without opening any.
	 * @param application the application's data source
	 * @param url its URL as far as the application told it
	 * @param properties the properties
	 */
	static JobConnections of(DataSource application, @Nullable String url, JobsProperties.Jdbc properties) {
		EnginePool like = HIKARI ? EnginePool.like(application) : null;
		String place = (like != null && like.url() != null) ? like.url() : url;
		Database known = known(place, properties.platform());
		boolean alone = place != null && JdbcUrl.isPrivate(place);
		JobConnections connections = new JobConnections(application, known, like, alone ? 0 : properties.poolSize(),
				properties);
		logger.info("Jobs are kept in {}, tables {}*, {}", (known != null) ? known : "a database yet to be asked",
				properties.tablePrefix(), (connections.pool != null)
						? "pool of " + properties.poolSize() + " connections of their own" : "pool of the application");
		return connections;
	}

	private static @Nullable Database known(@Nullable String url, JobsProperties.Jdbc.@Nullable Platform platform) {
		try {
			return (platform != null) ? Database.valueOf(platform.name()) : JdbcUrl.database(url);
		}
		catch (IllegalArgumentException ex) {
			throw unsupported(ex);
		}
	}

	private static Database asked(DataSource dataSource) {
		try {
			return Database.of(dataSource);
		}
		catch (IllegalArgumentException ex) {
			throw unsupported(ex);
		}
	}

	private static InvalidJobsConfigurationException unsupported(IllegalArgumentException cause) {
		return new InvalidJobsConfigurationException(cause.getMessage() + ".",
				"Set jobs.store=memory or jobs.store=redis, or mark the data source of another database with "
						+ "@JobsDataSource. If it is one of these by another name, set jobs.jdbc.platform.",
				cause);
	}

	DataSource application() {
		return this.application;
	}

	/**
	 * Return where the engine's connections come from.
	 */
	DataSource engine() {
		return this.engine;
	}

	/**
	 * Return what opens connections outside of any pool, if that can be told.
	 */
	@Nullable DataSource unpooled() {
		return this.unpooled;
	}

	/**
	 * Return which database it is as far as that is known without asking it.
	 */
	@Nullable Database known() {
		return this.known;
	}

	/**
	 * Return which database it is.
	 * @throws dev.jobs.store.JobStoreException if it must be asked and is out of reach
	 */
	Database database() {
		return this.database.get();
	}

	@Override
	public void close() throws Exception {
		if (this.pool != null) {
			this.pool.close();
		}
	}

}
