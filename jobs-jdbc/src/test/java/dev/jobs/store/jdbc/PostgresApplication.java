package dev.jobs.store.jdbc;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.jobs.EnqueueUnconfirmedException;
import dev.jobs.JobStoreException;
import dev.jobs.engine.JobEngine;
import dev.jobs.engine.JobEngineBuilder;
import dev.jobs.engine.settings.EngineSettings;
import dev.jobs.store.contract.process.Ledger;
import dev.jobs.store.view.QueueView;
import org.awaitility.Awaitility;
import org.awaitility.core.ThrowingRunnable;

import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * An application of a test: a pool of connections, a store and engines, all with the real
 * clock, ended together.
 */
final class PostgresApplication implements AutoCloseable {

	/** Short, so that tests are; long enough for a machine that is busy otherwise. */
	static final EngineSettings SETTINGS = EngineSettings.defaults()
		.withLease(Duration.ofSeconds(3), Duration.ofMillis(500))
		.withPoll(Duration.ofMillis(500));

	static final Duration PATIENCE = Duration.ofSeconds(90);

	private final HikariDataSource pool;

	private final JdbcJobStore store;

	private final Ledger ledger;

	private final List<JobEngine> engines = new ArrayList<>();

	private final AtomicBoolean producing = new AtomicBoolean();

	private final AtomicInteger refusals = new AtomicInteger();

	private final List<Throwable> unexpected = new ArrayList<>();

	private final Thread producer = new Thread(this::produce, "producer");

	/**
	 * Create an application on PostgreSQL.
	 * @param url its database
	 * @param prefix what the names of its tables begin with
	 * @param ledger takes note of everything
	 */
	PostgresApplication(String url, String prefix, Ledger ledger) {
		this(url, "socketTimeout=3", prefix, ledger);
	}

	/**
	 * Create an application.
	 * @param url its database
	 * @param options what the URL of its pool has besides
	 * @param prefix what the names of its tables begin with
	 * @param ledger takes note of everything
	 */
	PostgresApplication(String url, String options, String prefix, Ledger ledger) {
		HikariConfig config = new HikariConfig();
		config.setJdbcUrl(url + "&" + options);
		config.setMaximumPoolSize(6);
		config.setConnectionTimeout(1000);
		config.setValidationTimeout(500);
		config.setInitializationFailTimeout(-1);
		this.pool = new HikariDataSource(config);
		this.store = JdbcJobStore.builder(this.pool)
			.tablePrefix(prefix)
			.timeout(Duration.ofSeconds(2))
			.listen(new DriverManagerDataSource(url))
			.build();
		this.ledger = ledger;
	}

	JdbcJobStore store() {
		return this.store;
	}

	HikariDataSource pool() {
		return this.pool;
	}

	JdbcTemplate jdbc() {
		return new JdbcTemplate(this.pool);
	}

	JobEngine engine() {
		return this.engines.get(this.engines.size() - 1);
	}

	/**
	 * Build an engine that tells the ledger of everything.
	 * @param parts adds its parts
	 * @return the engine, not started
	 */
	JobEngine build(UnaryOperator<JobEngineBuilder> parts) {
		JobEngine engine = parts
			.apply(new JobEngineBuilder(this.store).settings(SETTINGS).listeners(List.of(this.ledger)).concurrency(10))
			.build();
		this.engines.add(engine);
		return engine;
	}

	JobEngine start(UnaryOperator<JobEngineBuilder> parts) {
		JobEngine engine = build(parts);
		engine.start();
		return engine;
	}

	/**
	 * Enqueue, and acknowledge what was stored.
	 */
	String enqueue(String name) {
		String id = engine().client().enqueue(name).id();
		this.ledger.acknowledge(id);
		return id;
	}

	/**
	 * Begin to enqueue until told to finish, whatever happens.
	 */
	void startProducing() {
		this.producing.set(true);
		this.producer.start();
	}

	private void produce() {
		while (this.producing.get()) {
			try {
				enqueue("work");
			}
			catch (EnqueueUnconfirmedException ex) {
				this.refusals.incrementAndGet();
			}
			catch (RuntimeException ex) {
				this.refusals.incrementAndGet();
				if (!(ex instanceof JobStoreException fault) || !fault.isTemporary()) {
					this.unexpected.add(ex);
				}
			}
		}
	}

	/**
	 * Return how many enqueues failed.
	 */
	int refusals() {
		return this.refusals.get();
	}

	static void await(ThrowingRunnable assertion) {
		Awaitility.await().atMost(PATIENCE).pollInterval(Duration.ofMillis(20)).untilAsserted(assertion);
	}

	void awaitRefusal() {
		int before = refusals();
		await(() -> assertThat(refusals()).isGreaterThan(before));
	}

	void awaitMoreRuns() {
		int before = this.ledger.ran().size();
		await(() -> assertThat(this.ledger.ran().size()).isGreaterThan(before + 20));
	}

	/**
	 * Enqueue no more and expect that everything that was acknowledged runs, and that
	 * nothing is left.
	 */
	void finish() throws InterruptedException {
		stopProducing();
		assertThat(this.unexpected).isEmpty();
		this.ledger.awaitRuns(PATIENCE);
		expectEmptyStore();
	}

	private void stopProducing() throws InterruptedException {
		this.producing.set(false);
		this.producer.join(30_000);
	}

	QueueView queue(String name) {
		return this.store.inspector()
			.queues(Instant.now())
			.stream()
			.filter((queue) -> queue.name().equals(name))
			.findFirst()
			.orElseThrow(() -> new AssertionError("There is no queue " + name));
	}

	void expectEmptyStore() {
		Awaitility.await()
			.atMost(PATIENCE)
			.pollInterval(Duration.ofMillis(50))
			.ignoreExceptionsInstanceOf(JobStoreException.class)
			.untilAsserted(() -> assertThat(this.store.inspector().queues(Instant.now()))
				.allMatch((queue) -> queue.waiting() + queue.running() + queue.dead() == 0));
	}

	@Override
	public void close() {
		this.producing.set(false);
		this.engines.forEach(JobEngine::closeClient);
		this.engines.forEach(JobEngine::stopNow);
		this.store.close();
		this.pool.close();
	}

}
