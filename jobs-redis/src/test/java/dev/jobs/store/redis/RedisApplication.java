package dev.jobs.store.redis;

import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;

import dev.jobs.EnqueueUnconfirmedException;
import dev.jobs.JobStoreException;
import dev.jobs.engine.JobEngine;
import dev.jobs.engine.JobEngineBuilder;
import dev.jobs.engine.settings.EngineSettings;
import dev.jobs.store.JobStore;
import dev.jobs.store.contract.process.Ledger;
import dev.jobs.store.view.QueueView;
import dev.jobs.store.view.WorkerView;
import io.lettuce.core.RedisClient;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.sync.RedisCommands;
import org.awaitility.Awaitility;

import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * An application of a test: a connection factory, a store and an engine, all with the
 * real clock, ended together.
 */
final class RedisApplication implements AutoCloseable {

	/** Short, so that tests are; long enough for a machine that is busy otherwise. */
	static final EngineSettings SETTINGS = EngineSettings.defaults()
		.withLease(Duration.ofSeconds(3), Duration.ofMillis(500))
		.withPoll(Duration.ofMillis(500));

	private static final Pattern LASTING = Pattern.compile("queues|token|partitions|notes|tall(y|ies):.*");

	private final LettuceConnectionFactory factory;

	private final RedisJobStore store;

	private final String namespace;

	private final Ledger ledger;

	private final List<JobEngine> engines = new ArrayList<>();

	RedisApplication(URI server, String namespace, Duration timeout, Ledger ledger) {
		this.factory = new LettuceConnectionFactory(
				new RedisStandaloneConfiguration(server.getHost(), server.getPort()),
				LettuceClientConfiguration.builder()
					.commandTimeout(timeout)
					.shutdownTimeout(Duration.ZERO)
					.shutdownQuietPeriod(Duration.ZERO)
					.build());
		this.factory.afterPropertiesSet();
		this.factory.start();
		this.namespace = namespace;
		this.store = new RedisJobStore(this.factory, namespace);
		this.ledger = ledger;
	}

	/**
	 * Return an application on the server that all tests share.
	 */
	static RedisApplication onSharedServer(String namespace, Ledger ledger) {
		return new RedisApplication(sharedServer(), namespace, Duration.ofSeconds(5), ledger);
	}

	static URI sharedServer() {
		LettuceConnectionFactory shared = TestRedis.factory();
		return URI.create("redis://" + shared.getHostName() + ":" + shared.getPort());
	}

	RedisJobStore store() {
		return this.store;
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
		return build(this.store, parts);
	}

	JobEngine build(JobStore store, UnaryOperator<JobEngineBuilder> parts) {
		JobEngine engine = parts
			.apply(new JobEngineBuilder(store).settings(SETTINGS).listeners(List.of(this.ledger)).concurrency(10))
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
	 * Enqueue as soon as the store is there.
	 */
	String enqueueOnceUp(String name) {
		String[] id = new String[1];
		Awaitility.await()
			.atMost(Duration.ofSeconds(30))
			.pollInterval(Duration.ofMillis(50))
			.ignoreExceptionsMatching(
					(ex) -> ex instanceof JobStoreException || ex instanceof EnqueueUnconfirmedException)
			.until(() -> {
				id[0] = enqueue(name);
				return true;
			});
		return id[0];
	}

	QueueView queue(String name) {
		return this.store.inspector()
			.queues(Instant.now())
			.stream()
			.filter((queue) -> queue.name().equals(name))
			.findFirst()
			.orElseThrow(() -> new AssertionError("There is no queue " + name));
	}

	/**
	 * Wait until no job is left and no worker of another process, then stop all engines,
	 * and expect that nothing is left of jobs, claims and workers in the whole namespace.
	 */
	void expectEmptyStore() {
		Awaitility.await()
			.atMost(Duration.ofSeconds(30))
			.pollInterval(Duration.ofMillis(50))
			.ignoreExceptionsInstanceOf(JobStoreException.class)
			.untilAsserted(() -> {
				assertThat(this.store.inspector().queues(Instant.now()))
					.allMatch((queue) -> queue.waiting() + queue.running() + queue.dead() == 0);
				assertThat(leases()).isSubsetOf(ownWorkers());
			});
		this.engines.forEach(JobEngine::stopNow);
		expectNoKeysButLastingOnes();
	}

	/**
	 * Return all workers that hold a lease, or held one and are not forgotten yet.
	 */
	List<String> leases() {
		return commands((commands) -> commands.keys("{" + this.namespace + ":*}:leases")
			.stream()
			.flatMap((key) -> commands.zrange(key, 0, -1).stream())
			.toList());
	}

	private List<String> ownWorkers() {
		long pid = ProcessHandle.current().pid();
		return this.store.inspector()
			.workers(Instant.now())
			.stream()
			.filter((worker) -> worker.info() != null && worker.info().pid() == pid)
			.map(WorkerView::id)
			.toList();
	}

	void expectNoKeysButLastingOnes() {
		assertThat(keys()).allMatch((key) -> LASTING.matcher(key).matches());
	}

	/**
	 * Return all keys of the namespace without what is before their name.
	 */
	List<String> keys() {
		return commands((commands) -> commands.keys("{" + this.namespace + ":*}:*")).stream()
			.map((key) -> key.substring(key.indexOf('}') + 2))
			.toList();
	}

	/**
	 * Delete all keys of the namespace with a name.
	 */
	void deleteKeys(String name) {
		commands((commands) -> commands.keys("{" + this.namespace + ":*}:" + name)
			.stream()
			.mapToLong((key) -> commands.del(key))
			.sum());
	}

	/**
	 * Do something with the server, on a connection of its own.
	 */
	<T> T commands(Function<RedisCommands<String, String>, T> use) {
		try (StatefulRedisConnection<String, String> connection = ((RedisClient) this.factory.getRequiredNativeClient())
			.connect()) {
			return use.apply(connection.sync());
		}
	}

	@Override
	public void close() {
		this.engines.forEach(JobEngine::closeClient);
		this.engines.forEach(JobEngine::stopNow);
		this.store.close();
		TestRedis.destroy(this.factory);
	}

}
