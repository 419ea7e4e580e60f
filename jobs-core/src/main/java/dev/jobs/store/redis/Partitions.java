package dev.jobs.store.redis;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.IntStream;
import java.util.zip.CRC32;

import io.lettuce.core.SetArgs;

/**
 * The parts that the queues of a namespace are spread over, so that a cluster can keep
 * them on different nodes: one on a single server, sixteen on a cluster. The number is
 * settled and stored when the namespace is first used, and stays when the data moves.
 */
final class Partitions {

	private static final int ON_CLUSTER = 16;

	private final Link link;

	private final Keyspace keyspace;

	private volatile int count;

	Partitions(Link link, Keyspace keyspace) {
		this.link = link;
		this.keyspace = keyspace;
	}

	int count() {
		int count = this.count;
		if (count == 0) {
			count = settle();
			this.count = count;
		}
		return count;
	}

	private int settle() {
		byte[] key = this.keyspace.key(0, "partitions");
		byte[] stored = this.link.get((server) -> server.get(key));
		if (stored == null) {
			byte[] wanted = Integer.toString(this.link.isCluster() ? ON_CLUSTER : 1)
				.getBytes(StandardCharsets.US_ASCII);
			this.link.get((server) -> server.set(key, wanted, SetArgs.Builder.nx()));
			stored = this.link.get((server) -> server.get(key));
		}
		return Integer.parseInt(new String(stored, StandardCharsets.US_ASCII));
	}

	/**
	 * Return the partition of a queue. With it begin the ids that the engine makes.
	 */
	int of(String queue) {
		int count = count();
		if (count == 1) {
			return 0;
		}
		CRC32 hash = new CRC32();
		hash.update(queue.getBytes(StandardCharsets.UTF_8));
		return (int) (hash.getValue() & 0xFF) % count;
	}

	/**
	 * Return where a job probably is. That is sure for an id made by the engine only.
	 */
	int guess(String id) {
		int value = 0;
		for (int i = 0; i < 2 && i < id.length(); i++) {
			value = value * 16 + Math.max(Character.digit(id.charAt(i), 16), 0);
		}
		return value % count();
	}

	List<Integer> all() {
		return startingAt(0);
	}

	/**
	 * Return all partitions, one of them first.
	 */
	List<Integer> startingAt(int first) {
		int count = count();
		return IntStream.range(first, first + count).mapToObj((number) -> number % count).toList();
	}

	/**
	 * Sort things by the partition of their queue.
	 */
	<T> Map<Integer, List<T>> split(Collection<T> things, Function<T, String> queue) {
		Map<Integer, List<T>> split = new LinkedHashMap<>();
		for (T thing : things) {
			split.computeIfAbsent(of(queue.apply(thing)), (partition) -> new ArrayList<>()).add(thing);
		}
		return split;
	}

}
