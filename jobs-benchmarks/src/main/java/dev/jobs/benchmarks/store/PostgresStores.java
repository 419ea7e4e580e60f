package dev.jobs.benchmarks.store;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.UUID;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.jobs.benchmarks.load.Crowd;
import dev.jobs.build.Ports;
import dev.jobs.store.JobStore;
import dev.jobs.store.jdbc.Database;
import dev.jobs.store.jdbc.JdbcJobStore;
import dev.jobs.store.jdbc.JdbcSchema;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import org.jspecify.annotations.Nullable;

import org.springframework.core.io.ByteArrayResource;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.datasource.init.ResourceDatabasePopulator;

/**
 * Stores in one PostgreSQL, each in tables of its own: a server that the benchmarks start
 * as a process of its own with its default settings, so that a commit is on the disk, or
 * one that runs already.
 */
public final class PostgresStores implements ServerStores {

	private static final int CONNECTIONS = 8;

	private static final String OWN_TABLES = "select c.relkind, c.relname from pg_class c where c.relkind in ('r', 'S') "
			+ "and c.relnamespace = current_schema()::regnamespace and starts_with(c.relname, ?)";

	private final String url;

	private final Runnable stop;

	private final boolean isOurs;

	/** Those of the callers who enqueue. */
	private final HikariDataSource application;

	private final HikariDataSource engine;

	private final @Nullable StatementLog log;

	private PostgresStores(String url, Runnable stop, boolean isOurs, @Nullable StatementLog log) {
		this.url = url;
		this.stop = stop;
		this.isOurs = isOurs;
		this.log = log;
		try (Connection connection = connect()) {
			connection.getMetaData();
		}
		catch (UncheckedSqlException | SQLException ex) {
			stop.run();
			throw new UsageException("No PostgreSQL answers at " + url);
		}
		this.application = pool(CONNECTIONS);
		this.engine = pool(CONNECTIONS);
	}

	/**
	 * Use a server.
	 * @param url where it is, or {@code null} to start one
	 * @param log hears when a store is opened and closed, or {@code null} if nobody wants
	 * to know
	 * @return the stores
	 */
	public static PostgresStores at(@Nullable String url, @Nullable StatementLog log) {
		if (url != null && !url.startsWith("jdbc:postgresql:")) {
			throw new UsageException(
					"--url must be like jdbc:postgresql://localhost/db?user=u&password=p but was '" + url + "'");
		}
		return (url != null) ? new PostgresStores(url, () -> {
		}, false, log) : embedded(log);
	}

	private static PostgresStores embedded(@Nullable StatementLog log) {
		try {
			EmbeddedPostgres.Builder builder = EmbeddedPostgres.builder().setPort(Ports.reserve());
			// The builder's own idea is to save time.
			for (String setting : List.of("fsync", "synchronous_commit", "full_page_writes")) {
				builder.setServerConfig(setting, "on");
			}
			if (log != null) {
				builder.setServerConfig("shared_preload_libraries", StatementLog.LIBRARY);
			}
			EmbeddedPostgres postgres = builder.start();
			Thread atExit = new Thread(() -> stop(postgres));
			Runtime.getRuntime().addShutdownHook(atExit);
			return new PostgresStores(postgres.getJdbcUrl("postgres", "postgres"), () -> {
				Runtime.getRuntime().removeShutdownHook(atExit);
				stop(postgres);
			}, true, log);
		}
		catch (IOException ex) {
			throw new UncheckedIOException("PostgreSQL cannot be started here; pass the --url of one that runs", ex);
		}
	}

	private static void stop(EmbeddedPostgres postgres) {
		try {
			postgres.close();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * Open a pool beside those of the stores.
	 * @param connections how many connections it has at most
	 * @return the pool
	 */
	public HikariDataSource pool(int connections) {
		HikariConfig config = new HikariConfig();
		config.setJdbcUrl(this.url);
		config.setMaximumPoolSize(connections);
		return new HikariDataSource(config);
	}

	@Override
	public String url() {
		return this.url;
	}

	@Override
	public String newNamespace() {
		return "benchmark_" + UUID.randomUUID().toString().replace("-", "").substring(0, 12) + "_";
	}

	@Override
	public Opened open(String namespace) {
		createTables(namespace);
		JdbcJobStore store = JdbcJobStore.builder(this.application)
			.engine(this.engine)
			.listen(new DriverManagerDataSource(this.url))
			.database(Database.POSTGRESQL)
			.tablePrefix(namespace)
			.build();
		if (this.log != null) {
			run(this.log::begin);
		}
		return new Opened() {

			@Override
			public JobStore store() {
				return store;
			}

			@Override
			public long running(Collection<String> queues) {
				return PostgresStores.this.running(namespace, queues);
			}

			@Override
			public void cleanUp() {
				run((connection) -> {
					try (Statement statement = connection.createStatement()) {
						statement.execute("vacuum analyze " + namespace + "job");
						if (PostgresStores.this.isOurs) {
							statement.execute("checkpoint");
						}
					}
				});
			}

			@Override
			public void close() {
				store.close();
				if (PostgresStores.this.log != null) {
					run(PostgresStores.this.log::end);
				}
				purge(namespace);
			}

		};
	}

	public void createTables(String namespace) {
		byte[] schema = JdbcSchema.of(Database.POSTGRESQL, namespace).getBytes(StandardCharsets.UTF_8);
		new ResourceDatabasePopulator(new ByteArrayResource(schema)).execute(this.application);
	}

	/**
	 * By an index, since the inspector's read of all jobs is not measured.
	 */
	private long running(String namespace, Collection<String> queues) {
		String sql = "select count(*) from " + namespace + "job where state = 2 and queue = any (?)";
		try (Connection connection = connect();
				Statement setting = connection.createStatement();
				PreparedStatement count = connection.prepareStatement(sql)) {
			setting.execute("set enable_seqscan = off");
			count.setArray(1, connection.createArrayOf("text", queues.toArray()));
			try (ResultSet row = count.executeQuery()) {
				row.next();
				return row.getLong(1);
			}
		}
		catch (SQLException ex) {
			throw new UncheckedSqlException(ex);
		}
	}

	/**
	 * Open a connection beside those of the stores.
	 */
	public Connection connect() {
		try {
			return DriverManager.getConnection(this.url);
		}
		catch (SQLException ex) {
			throw new UncheckedSqlException(ex);
		}
	}

	private void run(Work work) {
		try (Connection connection = connect()) {
			work.on(connection);
		}
		catch (SQLException ex) {
			throw new UncheckedSqlException(ex);
		}
	}

	/**
	 * Drop all tables of a namespace, and have written what the server has still to
	 * write, so that the next measurement is not disturbed.
	 */
	public void purge(String namespace) {
		run((connection) -> {
			List<String> drops = new ArrayList<>();
			try (PreparedStatement tables = connection.prepareStatement(OWN_TABLES)) {
				tables.setString(1, namespace);
				try (ResultSet row = tables.executeQuery()) {
					while (row.next()) {
						drops.add("drop " + (row.getString(1).equals("r") ? "table " : "sequence if exists ")
								+ row.getString(2) + " cascade");
					}
				}
			}
			// Sequences after the tables whose defaults draw from them.
			drops.sort((a, b) -> b.compareTo(a));
			try (Statement statement = connection.createStatement()) {
				for (String drop : drops) {
					statement.execute(drop);
				}
				if (this.isOurs) {
					statement.execute("checkpoint");
				}
			}
		});
	}

	@Override
	public Others others(Crowd crowd) {
		List<Connection> begun = new ArrayList<>();
		if (crowd.snapshot()) {
			begun.add(begin(Connection.TRANSACTION_REPEATABLE_READ, "select 1"));
		}
		if (crowd.writer()) {
			begun.add(begin(Connection.TRANSACTION_READ_COMMITTED,
					"create temporary table written as select 1 as number"));
		}
		return () -> begun.forEach(PostgresStores::end);
	}

	private Connection begin(int isolation, String sql) {
		Connection connection = connect();
		try (Statement statement = connection.createStatement()) {
			connection.setTransactionIsolation(isolation);
			connection.setAutoCommit(false);
			statement.execute(sql);
			return connection;
		}
		catch (SQLException ex) {
			throw new UncheckedSqlException(ex);
		}
	}

	private static void end(Connection connection) {
		try {
			connection.close();
		}
		catch (SQLException ex) {
			throw new UncheckedSqlException(ex);
		}
	}

	@Override
	public Watch watch() {
		return new TransactionCount(connect(), this.log != null);
	}

	/**
	 * Return how large the database is on the disk, without the log of its writes.
	 */
	@Override
	public long usedBytes() {
		try (Connection connection = connect();
				Statement statement = connection.createStatement();
				ResultSet row = statement.executeQuery("select pg_database_size(current_database())")) {
			row.next();
			return row.getLong(1);
		}
		catch (SQLException ex) {
			throw new UncheckedSqlException(ex);
		}
	}

	@Override
	public void close() {
		this.application.close();
		this.engine.close();
		this.stop.run();
	}

	/**
	 * Does something on a connection.
	 */
	@FunctionalInterface
	interface Work {

		void on(Connection connection) throws SQLException;

	}

}
