package dev.jobs.store.jdbc;

import java.nio.file.Path;
import java.sql.Connection;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import dev.jobs.JobEvent;
import dev.jobs.JobResult;
import dev.jobs.JobStoreException;
import dev.jobs.engine.JobEngine;
import dev.jobs.engine.settings.EngineSettings;
import dev.jobs.engine.settings.HandlerDefinition;
import dev.jobs.store.BeatReply;
import dev.jobs.store.WorkerBeat;
import dev.jobs.store.contract.process.ApplicationLog;
import dev.jobs.store.contract.process.Ledger;
import dev.jobs.store.contract.process.TcpProxy;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for an engine whose PostgreSQL is killed, locked, full or cut off: a separate
 * server, under load.
 */
class PostgresServerFaultTests {

	@TempDir
	private static Path directory;

	private static PostgresServer server;

	private final String prefix = "t" + UUID.randomUUID().toString().replace("-", "").substring(0, 16) + "_";

	private final Ledger ledger = new Ledger();

	private final List<AutoCloseable> opened = new ArrayList<>();

	private final CountDownLatch released = new CountDownLatch(1);

	private PostgresApplication application;

	@BeforeAll
	static void startServer() {
		server = new PostgresServer(directory.resolve("data"));
	}

	@AfterAll
	static void stopServer() {
		server.close();
	}

	@AfterEach
	void endAll() throws Exception {
		this.released.countDown();
		for (AutoCloseable each : this.opened) {
			each.close();
		}
	}

	private JobEngine startWorking() {
		return startWorking(server.port());
	}

	private JobEngine startWorking(int port) {
		TestDatabase.POSTGRESQL.createTables(new DriverManagerDataSource(PostgresServer.url(server.port())),
				this.prefix);
		this.application = new PostgresApplication(PostgresServer.url(port), this.prefix, this.ledger);
		this.opened.add(0, this.application);
		JobEngine engine = this.application.start((builder) -> builder.handler(this.ledger.handler("work"))
			.handler(HandlerDefinition.of("hold", Object.class, (payload, context) -> {
				this.ledger.ran(context);
				this.released.await();
				return JobResult.done();
			})));
		this.application.startProducing();
		this.application.awaitMoreRuns();
		return engine;
	}

	/**
	 * Return the server as its administrator sees it.
	 */
	private static JdbcTemplate administrator() {
		return new JdbcTemplate(new DriverManagerDataSource(PostgresServer.url(server.port())));
	}

	@Test
	void serverKilledUnderLoadComesBackWithAllItAcknowledgedAndLittleIsLogged() throws Exception {
		try (ApplicationLog log = new ApplicationLog()) {
			startWorking();
			String held = this.application.enqueue("hold");
			PostgresApplication.await(() -> assertThat(this.ledger.runs(held)).isEqualTo(1));
			server.kill();
			this.application.awaitRefusal();
			server.start();
			this.application.awaitMoreRuns();
			this.released.countDown();
			PostgresApplication.await(() -> assertThat(this.ledger.ran()).contains(held));
			this.application.finish();
			assertThat(log.perMinute()).as("%s", log.lines()).isLessThan(40);
		}
	}

	@Test
	void connectionsKilledByAnAdministratorLoseNothing() throws Exception {
		startWorking();
		for (int i = 0; i < 5; i++) {
			administrator()
				.queryForList("select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid() "
						+ "and backend_type = 'client backend'");
			this.application.awaitMoreRuns();
		}
		this.application.finish();
	}

	@Test
	void connectionsThatFallSilentAreGivenUp() throws Exception {
		try (TcpProxy network = new TcpProxy(server.port())) {
			startWorking(network.port());
			network.stall();
			this.application.awaitRefusal();
			network.heal();
			this.application.awaitMoreRuns();
			this.application.finish();
			this.application.close();
		}
	}

	/**
	 * After eight faults in a row the rest of a loop grows no more, and that of Hikari
	 * between two tries to connect not beyond five seconds. Without a bound that of a
	 * loop alone would be ten.
	 */
	@Test
	void engineWithDefaultSettingsContinuesSoonAfterALongOutage() throws Exception {
		try (TcpProxy network = new TcpProxy(server.port())) {
			TestDatabase.POSTGRESQL.createTables(new DriverManagerDataSource(PostgresServer.url(server.port())),
					this.prefix);
			this.application = new PostgresApplication(PostgresServer.url(network.port()), this.prefix, this.ledger);
			CountDownLatch started = new CountDownLatch(1);
			JobEngine engine = this.application.start((builder) -> builder.settings(EngineSettings.defaults())
				.concurrency(1)
				.handler(this.ledger.handler("work"))
				.handler(HandlerDefinition.of("hold", Object.class, (payload, context) -> {
					this.ledger.ran(context);
					started.countDown();
					this.released.await();
					return JobResult.done();
				})));
			String held = this.application.enqueue("hold");
			assertThat(started.await(30, TimeUnit.SECONDS)).isTrue();
			String waiting = this.application.enqueue("work");
			network.refuse();
			this.released.countDown();
			PostgresApplication.await(() -> assertThat(engine.status().loops())
				.filteredOn((loop) -> loop.name().equals("beat") || loop.name().equals("settle"))
				.allMatch((loop) -> loop.faults() >= 10));
			network.heal();
			long healed = System.nanoTime();
			PostgresApplication.await(() -> assertThat(this.ledger.reported(JobEvent.Succeeded.class))
				.containsExactlyInAnyOrder(held, waiting));
			assertThat(Duration.ofNanos(System.nanoTime() - healed)).isLessThan(Duration.ofSeconds(9));
			assertThat(this.ledger.counts()).containsOnly(1);
			this.application.expectEmptyStore();
			this.application.close();
		}
	}

	@Test
	void poolThatIsEmptyForAWhileHoldsNothingUpForEver() throws Exception {
		startWorking();
		List<Connection> taken = new ArrayList<>();
		PostgresApplication.await(() -> {
			taken.add(this.application.pool().getConnection());
			assertThat(taken).hasSize(this.application.pool().getMaximumPoolSize());
		});
		this.application.awaitRefusal();
		for (Connection connection : taken) {
			connection.close();
		}
		this.application.awaitMoreRuns();
		this.application.finish();
	}

	@Test
	void lockOnTheTableForTenSecondsIsOutlived() throws Exception {
		startWorking();
		int before = this.application.refusals();
		administrator()
			.execute("begin; lock table " + this.prefix + "job in access exclusive mode; select pg_sleep(10); commit");
		assertThat(this.application.refusals()).isGreaterThan(before);
		this.application.awaitMoreRuns();
		this.application.finish();
	}

	@Test
	void fullDiskRefusesEnqueuesAndWhatIsThereRuns() throws Exception {
		startWorking();
		administrator().execute("create function " + this.prefix + "full() returns trigger language plpgsql as "
				+ "$$ begin raise exception 'could not extend file' using errcode = '53100'; end $$; create trigger full_disk "
				+ "before insert on " + this.prefix + "job for each row execute function " + this.prefix + "full()");
		this.application.awaitRefusal();
		this.ledger.awaitRuns(PostgresApplication.PATIENCE);
		PostgresApplication.await(() -> assertThat(this.application.queue("work").running()).isZero());
		assertThatExceptionOfType(JobStoreException.class).isThrownBy(() -> this.application.enqueue("work"))
			.withMessageContaining("could not extend file")
			.matches(JobStoreException::isRefused)
			.matches(JobStoreException::isTemporary);
		administrator().execute("drop trigger full_disk on " + this.prefix + "job");
		this.application.awaitMoreRuns();
		this.application.finish();
	}

	@Test
	void strictIsolationOfTheRoleIsNotThatOfTheStore() throws Exception {
		administrator().execute("alter role postgres set default_transaction_isolation = serializable");
		try {
			JobEngine engine = startWorking();
			assertThat(this.application.jdbc().queryForObject("show transaction_isolation", String.class))
				.isEqualTo("serializable");
			this.application.start((builder) -> builder.handler(this.ledger.handler("work")));
			this.application.awaitMoreRuns();
			this.application.awaitMoreRuns();
			this.application.finish();
			assertThat(this.application.refusals()).isZero();
			assertThat(this.ledger.counts()).containsOnly(1);
			assertThat(engine.status().loops()).allMatch((loop) -> loop.faults() == 0);
		}
		finally {
			administrator().execute("alter role postgres reset default_transaction_isolation");
		}
	}

	@Test
	void clocksThatDifferByASecondMakeNoDuplicates() throws Exception {
		startWorking();
		for (int millis : new int[] { 1000, -1000 }) {
			this.application.start((builder) -> builder.handler(this.ledger.handler("work"))
				.clock(() -> Instant.now().plusMillis(millis)));
		}
		String held = this.application.enqueue("hold");
		PostgresApplication.await(() -> assertThat(this.ledger.runs(held)).isEqualTo(1));
		Instant leaseIsOver = Instant.now().plus(PostgresApplication.SETTINGS.lease());
		PostgresApplication.await(() -> assertThat(this.application.store().inspector().workers(Instant.now()))
			.allMatch((worker) -> worker.lastBeat().isAfter(leaseIsOver.plusMillis(1000))));
		this.released.countDown();
		this.application.finish();
		assertThat(this.ledger.reported(JobEvent.Rescued.class)).isEmpty();
		assertThat(this.ledger.counts()).containsOnly(1);
	}

	@Test
	void wrongClockLearnsTheTimeOfTheDatabase() throws Exception {
		startWorking();
		Instant before = Instant.now().minusSeconds(1);
		BeatReply reply = this.application.store()
			.beat(new WorkerBeat("skewed", Duration.ofSeconds(1), null, List.of(), false,
					before.plus(Duration.ofHours(1))));
		assertThat(reply.serverTime()).isBetween(before, Instant.now().plusSeconds(1));
		this.application.finish();
	}

}
