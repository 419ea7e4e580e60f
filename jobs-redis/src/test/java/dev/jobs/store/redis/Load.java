package dev.jobs.store.redis;

import java.time.InstantSource;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

import dev.jobs.EnqueueUnconfirmedException;
import dev.jobs.JobResult;
import dev.jobs.JobStoreException;
import dev.jobs.engine.JobEngine;
import dev.jobs.engine.JobEngineBuilder;
import dev.jobs.engine.settings.EngineSettings;
import dev.jobs.engine.settings.HandlerDefinition;
import dev.jobs.store.JobStore;
import io.lettuce.core.RedisException;
import io.lettuce.core.api.sync.RedisCommands;
import org.awaitility.Awaitility;

import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * An engine with some queues and a thread that enqueues one job after the other while the
 * servers are disturbed. It remembers which jobs are safe, since a replica had them too,
 * and which ran.
 */
final class Load implements AutoCloseable {

	private final JobStore store;

	private final List<String> queues;

	private final BooleanSupplier replicated;

	private final JobEngine engine;

	private final Set<Integer> safe = ConcurrentHashMap.newKeySet();

	private final Set<Integer> ran = ConcurrentHashMap.newKeySet();

	private final Set<Throwable> unexpected = ConcurrentHashMap.newKeySet();

	private final AtomicInteger lastNumber = new AtomicInteger();

	private final Thread producer = new Thread(this::produce, "producer");

	private volatile boolean stopped;

	/**
	 * Create a load.
	 * @param store where the jobs are
	 * @param queues which queues they go to in turn
	 * @param replicated tells whether what was acknowledged before is also on a replica
	 */
	Load(JobStore store, List<String> queues, BooleanSupplier replicated) {
		this.store = store;
		this.queues = queues;
		this.replicated = replicated;
		JobEngineBuilder builder = new JobEngineBuilder(store).clock(InstantSource.system())
			.concurrency(5)
			.settings(EngineSettings.defaults().withLease(ofSeconds(3), ofMillis(200)).withPoll(ofMillis(100)));
		for (String queue : queues) {
			builder.handler(HandlerDefinition.of(queue, Integer.class, (number, context) -> {
				this.ran.add(number);
				return JobResult.done();
			}));
		}
		this.engine = builder.build();
	}

	/**
	 * Return whether a node's replica has what the node had when this was called.
	 * @param connection the node's commands
	 * @param key a key that may be written there
	 */
	static boolean isReplicated(Supplier<RedisCommands<String, String>> connection, String key) {
		try {
			RedisCommands<String, String> node = connection.get();
			node.set(key, "");
			return node.waitForReplication(1, 1000) > 0;
		}
		catch (RedisException ex) {
			return false;
		}
	}

	/**
	 * Start the engine and the thread, and wait until some jobs were safe.
	 */
	void start() {
		this.engine.start();
		this.producer.start();
		awaitSafe(200);
	}

	/**
	 * Wait until so many more jobs were safe.
	 */
	void awaitSafe(int more) {
		int before = this.safe.size();
		TestRedisCluster.await(more + " safe jobs", () -> this.safe.size() >= before + more);
	}

	private void produce() {
		while (!this.stopped) {
			int number = this.lastNumber.incrementAndGet();
			try {
				enqueue(number);
				if (this.replicated.getAsBoolean()) {
					this.safe.add(number);
				}
			}
			catch (JobStoreException ex) {
				if (!ex.isTemporary()) {
					this.unexpected.add(ex);
				}
			}
			catch (EnqueueUnconfirmedException ex) {
				// Perhaps it runs, but it is not safe.
			}
			catch (RuntimeException ex) {
				this.unexpected.add(ex);
			}
		}
	}

	private void enqueue(int number) {
		this.engine.client().enqueue(this.queues.get(number % this.queues.size()), number);
	}

	/**
	 * Enqueue a job.
	 */
	void enqueueOne(String queue) {
		this.engine.client().enqueue(queue, this.lastNumber.incrementAndGet());
	}

	/**
	 * Enqueue a job until the store takes it and wait until it ran.
	 * @param queue its queue
	 */
	void runOne(String queue) {
		int number = this.lastNumber.incrementAndGet();
		Awaitility.await("an enqueue to " + queue)
			.atMost(ofSeconds(60))
			.pollInterval(ofMillis(20))
			.ignoreExceptionsMatching(
					(ex) -> ex instanceof JobStoreException || ex instanceof EnqueueUnconfirmedException)
			.until(() -> this.engine.client().enqueue(queue, number).isNew());
		TestRedisCluster.await("the run of a job in " + queue, () -> this.ran.contains(number));
	}

	/**
	 * Stop the thread and check that all goes on alone: a job of each queue runs, each
	 * safe job has run, and nothing is left.
	 */
	void finish() throws InterruptedException {
		this.stopped = true;
		this.producer.join();
		assertThat(this.unexpected).isEmpty();
		this.queues.forEach(this::runOne);
		TestRedisCluster.await("an empty store",
				() -> this.store.inspector()
					.queues(InstantSource.system().instant())
					.stream()
					.allMatch((queue) -> queue.waiting() + queue.running() + queue.dead() == 0));
		assertThat(this.safe.stream().filter((number) -> !this.ran.contains(number))).isEmpty();
	}

	@Override
	public void close() {
		this.stopped = true;
		this.engine.closeClient();
		this.engine.stopNow();
	}

}
