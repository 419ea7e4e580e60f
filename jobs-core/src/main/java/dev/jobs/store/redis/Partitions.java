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

import dev.jobs.Unique;
import dev.jobs.store.JobStoreException;
import dev.jobs.store.NewJob;
import io.lettuce.core.SetArgs;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import org.jspecify.annotations.Nullable;

/**
 * The parts that the queues of a namespace are spread over, so that a cluster can keep
 * them on different nodes: one on a single server, six on a cluster. The number is
 * settled and stored when the namespace is first used, and stays when the data moves.
 */
final class Partitions {

	private static final int ON_CLUSTER = 6;

	private final Link link;

	private final Keyspace keyspace;

	private volatile @Nullable Layout layout;

	Partitions(Link link, Keyspace keyspace) {
		this.link = link;
		this.keyspace = keyspace;
	}

	int count() {
		return layout().tags().size();
	}

	private Layout layout() {
		Layout layout = this.layout;
		if (layout == null) {
			layout = Layout.of(this.keyspace, settle());
			this.layout = layout;
		}
		return layout;
	}

	private int settle() {
		byte[] key = this.keyspace.key(this.keyspace.tag(0, 1), "partitions");
		byte[] stored = this.link.get(key, RedisClusterAsyncCommands::get);
		if (stored == null) {
			byte[] wanted = Integer.toString(this.link.isCluster() ? ON_CLUSTER : 1)
				.getBytes(StandardCharsets.US_ASCII);
			this.link.get(key, (server, name) -> server.set(name, wanted, SetArgs.Builder.nx()));
			stored = this.link.get(key, RedisClusterAsyncCommands::get);
		}
		String text = (stored != null) ? new String(stored, StandardCharsets.US_ASCII) : "";
		if (!text.matches("[1-9]\\d{0,2}")) {
			throw new JobStoreException("The key '" + new String(key, StandardCharsets.UTF_8)
					+ "' must hold the number of partitions but holds '" + text + "'", null, false);
		}
		return Integer.parseInt(text);
	}

	/**
	 * Return the keys that a script is called with; it derives all others from them.
	 */
	byte[][] keys(int partition) {
		return layout().keys().get(partition);
	}

	byte[] key(int partition, String name) {
		return this.keyspace.key(layout().tags().get(partition), name);
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

	/**
	 * Return whether the key of a job may be owned by one of another partition.
	 */
	boolean shareKeyOf(NewJob job) {
		NewJob.Key key = job.unique();
		return key != null && key.scope() == Unique.Scope.NAMESPACE && count() > 1;
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

	/**
	 * What is known once the number of partitions is.
	 *
	 * @param tags the hash tag of each
	 * @param keys what scripts are called with in each
	 */
	private record Layout(List<String> tags, List<byte[][]> keys) {

		static Layout of(Keyspace keyspace, int count) {
			List<String> tags = IntStream.range(0, count).mapToObj((number) -> keyspace.tag(number, count)).toList();
			return new Layout(tags, tags.stream().map((tag) -> new byte[][] { keyspace.key(tag, "jobs") }).toList());
		}

	}

}
