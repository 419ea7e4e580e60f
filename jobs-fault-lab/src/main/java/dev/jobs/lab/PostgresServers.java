package dev.jobs.lab;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

import javax.sql.DataSource;

import dev.jobs.build.Ports;
import dev.jobs.store.contract.process.ServerClock;
import dev.jobs.store.jdbc.Database;
import dev.jobs.store.jdbc.JdbcSchema;
import io.zonky.test.db.postgres.embedded.DefaultPostgresBinaryResolver;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import io.zonky.test.db.postgres.embedded.PgBinaryResolver;
import org.jspecify.annotations.Nullable;

import org.springframework.core.io.ByteArrayResource;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.datasource.init.ResourceDatabasePopulator;

/**
 * One PostgreSQL, as durable as it is by default.
 */
final class PostgresServers implements Servers {

	private static final String PREFIX = "lab_";

	private final Path directory;

	private final int port = Ports.reserve();

	private final @Nullable ServerClock clock;

	private final PgBinaryResolver programs = DefaultPostgresBinaryResolver.INSTANCE::getPgBinary;

	private EmbeddedPostgres server;

	private volatile List<ProcessHandle> frozen = List.of();

	PostgresServers(Path directory, @Nullable ServerClock clock) {
		this.directory = directory;
		this.clock = clock;
		this.server = start();
		if (clock != null) {
			clock.wrap(ownPrograms(), Path.of("bin", "postgres"));
			close();
			this.server = start();
		}
		byte[] schema = JdbcSchema.of(Database.POSTGRESQL, PREFIX).getBytes(StandardCharsets.UTF_8);
		DataSource database = new DriverManagerDataSource(direct());
		new ResourceDatabasePopulator(new ByteArrayResource(schema)).execute(database);
		new EffectTable(database).create();
	}

	private Path ownPrograms() {
		return this.directory.resolveSibling("programs");
	}

	private EmbeddedPostgres start() {
		EmbeddedPostgres[] started = new EmbeddedPostgres[1];
		Patience.await("the start of PostgreSQL", Duration.ofSeconds(40), () -> {
			EmbeddedPostgres.Builder builder = EmbeddedPostgres.builder();
			if (this.clock != null) {
				// Programs of its own.
				builder.setPgBinaryResolver(this.programs).setOverrideWorkingDirectory(ownPrograms().toFile());
			}
			started[0] = builder.setDataDirectory(this.directory)
				.setCleanDataDirectory(false)
				.setPort(this.port)
				.setServerConfig("max_connections", "100")
				.setServerConfig("fsync", "on")
				.setServerConfig("synchronous_commit", "on")
				.setServerConfig("logging_collector", "on")
				.setServerConfig("log_directory", this.directory.resolveSibling("server-log").toString())
				.start();
			return true;
		});
		return started[0];
	}

	private ProcessHandle postmaster() {
		try {
			String id = Files.readAllLines(this.directory.resolve("postmaster.pid")).get(0).trim();
			return ProcessHandle.of(Long.parseLong(id)).orElseThrow();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	@Override
	public String direct() {
		return through(this.port);
	}

	@Override
	public String version() {
		try (Connection connection = DriverManager.getConnection(direct())) {
			return "PostgreSQL " + connection.getMetaData().getDatabaseProductVersion();
		}
		catch (SQLException ex) {
			throw new IllegalStateException(ex);
		}
	}

	@Override
	public int port() {
		return this.port;
	}

	@Override
	public String through(int port) {
		return "jdbc:postgresql://127.0.0.1:" + port + "/postgres?user=postgres&connectTimeout=2&loginTimeout=2";
	}

	@Override
	public String namespace() {
		return PREFIX;
	}

	@Override
	public void inject(Fault fault) {
		switch (fault) {
			case RESTART_SERVER -> {
				ProcessHandle postmaster = postmaster();
				postmaster.destroyForcibly();
				postmaster.onExit().join();
				close();
			}
			case FREEZE_SERVER -> {
				ProcessHandle postmaster = postmaster();
				this.frozen = Stream.concat(Stream.of(postmaster), postmaster.descendants()).toList();
				this.frozen.forEach((process) -> Signals.send(process, "STOP"));
			}
			case DROP_CONNECTIONS ->
				run("select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid()"
						+ " and backend_type = 'client backend'");
			default -> throw new IllegalArgumentException(fault.name());
		}
	}

	private void run(String sql) {
		try (Connection connection = DriverManager.getConnection(direct());
				Statement statement = connection.createStatement()) {
			statement.execute(sql);
		}
		catch (SQLException ex) {
			throw new IllegalStateException(ex);
		}
	}

	@Override
	public void heal(Fault fault) {
		switch (fault) {
			case RESTART_SERVER -> this.server = start();
			case FREEZE_SERVER -> this.frozen.forEach((process) -> Signals.send(process, "CONT"));
			default -> {
			}
		}
	}

	@Override
	public void close() {
		try {
			this.server.close();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
