package dev.jobs.store.jdbc;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.Stream;

import javax.sql.DataSource;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.jobs.build.Ports;
import dev.jobs.store.JobStore;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;

import org.springframework.core.io.ByteArrayResource;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.jdbc.datasource.init.ResourceDatabasePopulator;

/**
 * The databases of the tests: one of each kind for all of them, each test with tables of
 * its own. The system property {@code jobs.test.postgresql} is the URL of a running one
 * to be used instead of the embedded one, the environment variable {@code
 * JOBS_TEST_MARIADB} is the URL of a MariaDB; without it its tests are skipped.
 */
enum TestDatabase {

	POSTGRESQL(Database.POSTGRESQL) {

		@Override
		String url() {
			String external = System.getProperty("jobs.test.postgresql");
			return (external != null) ? external : startPostgres().getJdbcUrl("postgres", "postgres");
		}

	},

	H2(Database.H2) {

		@Override
		String url() {
			return "jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1";
		}

	},

	SQLITE(Database.SQLITE) {

		@Override
		String url() {
			try {
				Path file = Files.createTempFile("jobs", ".db");
				file.toFile().deleteOnExit();
				return "jdbc:sqlite:" + file + "?synchronous=OFF";
			}
			catch (IOException ex) {
				throw new UncheckedIOException(ex);
			}
		}

	},

	MARIADB(Database.MARIADB) {

		@Override
		String url() {
			return System.getenv("JOBS_TEST_MARIADB");
		}

	};

	private static final int CONNECTIONS = 24;

	private static final List<String> TABLES = List.of("job", "queue", "worker", "delivery", "schedule", "tally",
			"note", "setting", "lane", "throttle", "gate", "saved", "end");

	/** How many tests end before the tables of one are used again. */
	private static final int TESTS_BETWEEN = 10;

	private static final int MANY_JOBS = 1000;

	/** Tests that are about a shorter one build stores of their own. */
	private static final Duration TIMEOUT = Duration.ofSeconds(30);

	private final Database database;

	private final Map<JobStore, String> prefixes = new ConcurrentHashMap<>();

	private final Map<JobStore, EndingDataSource> shared = new ConcurrentHashMap<>();

	private final Queue<String> left = new ConcurrentLinkedQueue<>();

	private HikariDataSource dataSource;

	TestDatabase(Database database) {
		this.database = database;
	}

	abstract String url();

	/**
	 * Return the databases that there are.
	 */
	static List<TestDatabase> present() {
		return Stream.of(values())
			.filter((database) -> database != MARIADB || System.getenv("JOBS_TEST_MARIADB") != null)
			.toList();
	}

	synchronized DataSource dataSource() {
		if (this.dataSource == null) {
			HikariConfig config = new HikariConfig();
			config.setJdbcUrl(url());
			config.setMaximumPoolSize(CONNECTIONS);
			this.dataSource = new HikariDataSource(config);
		}
		return this.dataSource;
	}

	/**
	 * Return the URL of the running database.
	 */
	String connectionUrl() {
		dataSource();
		return this.dataSource.getJdbcUrl();
	}

	/**
	 * Return what the names of a store's tables begin with.
	 */
	String prefix(JobStore store) {
		return this.prefixes.get(store);
	}

	JobStore createStore() {
		String prefix = newPrefix();
		createTables(dataSource(), prefix);
		JobStore store = JdbcJobStore.builder(dataSource()).tablePrefix(prefix).timeout(TIMEOUT).build();
		this.prefixes.put(store, prefix);
		return store;
	}

	/**
	 * Create a store on tables that are empty, maybe left by a test that has ended. To
	 * create and drop them takes longer than most tests do.
	 */
	JobStore openStore() {
		String prefix = emptyTables();
		EndingDataSource source = new EndingDataSource(dataSource());
		JobStore store = JdbcJobStore.builder(source).tablePrefix(prefix).timeout(TIMEOUT).build();
		this.prefixes.put(store, prefix);
		this.shared.put(store, source);
		return store;
	}

	private String emptyTables() {
		String prefix = (this.left.size() < TESTS_BETWEEN) ? null : this.left.poll();
		if (prefix != null && deleteAll(prefix) > MANY_JOBS) {
			dropTables(prefix);
			prefix = null;
		}
		if (prefix == null) {
			prefix = newPrefix();
			createTables(dataSource(), prefix);
		}
		return prefix;
	}

	private int deleteAll(String prefix) {
		JdbcTemplate jdbc = new JdbcTemplate(dataSource());
		return TABLES.stream().mapToInt((table) -> jdbc.update("delete from " + prefix + table)).max().orElseThrow();
	}

	/**
	 * Close a store that was opened, and leave its tables to other tests.
	 */
	void closeStore(JobStore store) {
		((JdbcJobStore) store).close();
		this.shared.remove(store).end();
		this.left.add(this.prefixes.remove(store));
	}

	static String newPrefix() {
		return "t" + UUID.randomUUID().toString().replace("-", "").substring(0, 16) + "_";
	}

	/**
	 * Create an outbox on this database, and no other tables.
	 */
	JdbcOutbox createOutbox(String prefix) {
		byte[] schema = JdbcSchema.ofOutbox(this.database, prefix).getBytes();
		ResourceDatabasePopulator populator = new ResourceDatabasePopulator(new ByteArrayResource(schema));
		populator.execute(dataSource());
		populator.execute(dataSource());
		return JdbcJobStore.builder(dataSource()).tablePrefix(prefix).buildOutbox();
	}

	void dropOutbox(String prefix) {
		JdbcTemplate jdbc = new JdbcTemplate(dataSource());
		jdbc.execute("drop table " + prefix + "outbox");
		jdbc.execute("drop table " + prefix + "step");
	}

	void createTables(DataSource dataSource, String prefix) {
		byte[] schema = JdbcSchema.of(this.database, prefix).getBytes();
		new ResourceDatabasePopulator(new ByteArrayResource(schema)).execute(dataSource);
	}

	void destroyStore(JobStore store) {
		((JdbcJobStore) store).close();
		dropTables(this.prefixes.remove(store));
	}

	private void dropTables(String prefix) {
		JdbcTemplate jdbc = new JdbcTemplate(dataSource());
		TABLES.forEach((table) -> jdbc.execute("drop table if exists " + prefix + table));
		jdbc.execute("drop table if exists " + prefix + "schema");
		if (this == SQLITE) {
			jdbc.execute("drop table if exists " + prefix + "counter");
		}
		else {
			jdbc.execute("drop sequence if exists " + prefix + "place");
			jdbc.execute("drop sequence if exists " + prefix + "token");
		}
	}

	private static EmbeddedPostgres startPostgres() {
		try {
			EmbeddedPostgres postgres = EmbeddedPostgres.builder()
				.setPort(Ports.reserve())
				.setServerConfig("fsync", "off")
				.setServerConfig("synchronous_commit", "off")
				.setServerConfig("max_connections", "200")
				.setServerConfig("max_prepared_transactions", "20")
				.start();
			Runtime.getRuntime().addShutdownHook(new Thread(() -> stop(postgres)));
			return postgres;
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
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
	 * Gives no more connections once the test has ended, so a thread that it left behind
	 * cannot write to the tables of the next one.
	 */
	private static final class EndingDataSource extends DelegatingDataSource {

		private volatile boolean ended;

		EndingDataSource(DataSource target) {
			super(target);
		}

		void end() {
			this.ended = true;
		}

		@Override
		public Connection getConnection() throws SQLException {
			if (this.ended) {
				throw new SQLException("The test has ended");
			}
			return super.getConnection();
		}

	}

}
