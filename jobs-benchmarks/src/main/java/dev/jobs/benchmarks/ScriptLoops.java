package dev.jobs.benchmarks;

import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;

import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.sync.RedisCommands;

/**
 * Threads that each send one EVALSHA after the other and wait for its reply. The script
 * is the least that is an enqueue: it puts the payload into a hash and the id into a
 * list.
 */
final class ScriptLoops {

	private static final byte[] SCRIPT = Payload.bytes("""
			redis.call('HSET', KEYS[1], ARGV[1], ARGV[2])
			redis.call('RPUSH', KEYS[2], ARGV[1])
			return ARGV[1]
			""");

	private static final int TRIALS = 3;

	private final RedisStores stores;

	private Connections connections = Connections.UNDECIDED;

	ScriptLoops(RedisStores stores) {
		this.stores = stores;
	}

	/**
	 * Enqueue one job with each call, on one connection for all threads or on one for
	 * each, whichever is faster, which is found out at the first call with several.
	 */
	long enqueue(Load load, int threads) {
		if (threads == 1) {
			return enqueue(load, 1, Connections.SHARED);
		}
		if (this.connections == Connections.UNDECIDED) {
			this.connections = faster(load, threads);
		}
		return enqueue(load, threads, this.connections);
	}

	private Connections faster(Load load, int threads) {
		long shared = 0;
		long own = 0;
		for (int trial = 0; trial < TRIALS; trial++) {
			shared += enqueue(load, threads, Connections.SHARED);
			own += enqueue(load, threads, Connections.OWN);
		}
		return (shared < own) ? Connections.SHARED : Connections.OWN;
	}

	private long enqueue(Load load, int threads, Connections connections) {
		String namespace = "benchmark-" + UUID.randomUUID();
		int count = (connections == Connections.SHARED) ? 1 : threads;
		List<StatefulRedisConnection<byte[], byte[]>> opened = Stream.generate(this.stores::connect)
			.limit(count)
			.toList();
		try {
			String digest = opened.get(0).sync().scriptLoad(SCRIPT);
			StoreJobs jobs = new StoreJobs(load.names());
			byte[] hash = Payload.bytes("{" + namespace + ":0}:jobs");
			byte[][] lists = load.names()
				.stream()
				.map((name) -> Payload.bytes("{" + namespace + ":0}:" + name))
				.toArray(byte[][]::new);
			System.gc();
			return Producers.time(threads, threads, 1, (thread, next) -> {
				RedisCommands<byte[], byte[]> commands = opened.get(thread % count).sync();
				for (int i = thread; i < load.jobs(); i += threads) {
					byte[][] keys = { hash, lists[i % lists.length] };
					commands.evalsha(digest, ScriptOutputType.VALUE, keys, Payload.bytes(jobs.id(jobs.queue(i))),
							Payload.encoded(i));
				}
			});
		}
		finally {
			opened.forEach(StatefulRedisConnection::close);
			this.stores.purge(namespace);
		}
	}

	private enum Connections {

		UNDECIDED, SHARED, OWN

	}

}
