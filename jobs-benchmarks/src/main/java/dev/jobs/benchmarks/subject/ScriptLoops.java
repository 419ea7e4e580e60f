package dev.jobs.benchmarks.subject;

import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;

import dev.jobs.benchmarks.load.Load;
import dev.jobs.benchmarks.load.Payload;
import dev.jobs.benchmarks.load.Producers;
import dev.jobs.benchmarks.load.StoreJobs;
import dev.jobs.benchmarks.store.RedisStores;
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

	private final RedisStores stores;

	private final boolean shared;

	/**
	 * Create the loops.
	 * @param stores where stores come from
	 * @param shared whether all threads share a connection, so that the driver sends
	 * together what they do at the same moment; if not, each has its own
	 */
	ScriptLoops(RedisStores stores, boolean shared) {
		this.stores = stores;
		this.shared = shared;
	}

	/**
	 * Enqueue one job with each call.
	 */
	long enqueue(Load load, int threads) {
		String namespace = "benchmark-" + UUID.randomUUID();
		int count = this.shared ? 1 : threads;
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

}
