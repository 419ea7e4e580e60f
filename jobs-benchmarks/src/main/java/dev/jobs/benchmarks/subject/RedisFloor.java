package dev.jobs.benchmarks.subject;

import java.time.Duration;
import java.util.UUID;

import dev.jobs.benchmarks.load.Load;
import dev.jobs.benchmarks.load.Payload;
import dev.jobs.benchmarks.load.Pings;
import dev.jobs.benchmarks.store.RedisStores;
import io.lettuce.core.KeyValue;
import io.lettuce.core.api.StatefulRedisConnection;

/**
 * The floor of everything in Redis: the store's own scripts without an engine for what
 * goes in batches, and the least that Redis and the JDK offer for the rest.
 */
final class RedisFloor implements Subject {

	private static final int WAIT_SECONDS = 1;

	private final RedisStores stores;

	private final StoreDriver driver;

	private final Singles singles;

	private final ExecutorSubject executor = new ExecutorSubject();

	/**
	 * Create the floor.
	 * @param stores where stores come from
	 * @param driver drains and enqueues in bulk
	 * @param singles enqueues one job a call
	 */
	RedisFloor(RedisStores stores, StoreDriver driver, Singles singles) {
		this.stores = stores;
		this.driver = driver;
		this.singles = singles;
	}

	@Override
	public long drain(Load load) {
		return this.driver.drain(load);
	}

	@Override
	public long enqueue(Load load, int threads, int batch) {
		return (batch == 1) ? this.singles.enqueue(load, threads) : this.driver.enqueue(load, threads, batch);
	}

	/** A list, and a connection that waits for something to be pushed there. */
	@Override
	public long[] latencies(Load load, Duration pause) {
		String namespace = "benchmark-" + UUID.randomUUID();
		byte[] list = Payload.bytes("{" + namespace + ":0}:list");
		Pings pings = new Pings(load.jobs());
		try (StatefulRedisConnection<byte[], byte[]> sending = this.stores.connect();
				StatefulRedisConnection<byte[], byte[]> waiting = this.stores.connect()) {
			Thread receiver = new Thread(() -> {
				for (int left = load.jobs(); left > 0;) {
					KeyValue<byte[], byte[]> popped = waiting.sync().blpop(WAIT_SECONDS, list);
					if (popped != null && Payload.READER.read(popped.getValue()) instanceof Payload payload) {
						pings.arrived(payload.i());
						left--;
					}
				}
			});
			receiver.setDaemon(true);
			receiver.start();
			return pings.time(pause, (job) -> sending.sync().rpush(list, Payload.encoded(job)));
		}
		finally {
			this.stores.purge(namespace);
		}
	}

	@Override
	public long[] lateness(Load load, Duration time) {
		return this.executor.lateness(load, time);
	}

	@Override
	public Idling idle(Load load) {
		return this.executor.idle(load);
	}

	/**
	 * Enqueues one job with each call.
	 */
	@FunctionalInterface
	interface Singles {

		long enqueue(Load load, int threads);

	}

}
