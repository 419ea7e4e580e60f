package dev.jobs.store.redis;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import java.util.zip.CRC32;

import dev.jobs.JobStoreException;
import dev.jobs.Unique;
import dev.jobs.store.ErrorText;
import dev.jobs.store.NewJob;
import io.lettuce.core.SetArgs;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The parts that the queues of a namespace are spread over, so that a cluster can keep
 * them on different nodes: one on a single server, six on a cluster. The number is
 * settled and stored when the namespace is first used, and stays when the data moves. A
 * stored number that the stored queues do not fit is refused, since with it their jobs
 * would not be found.
 */
final class Partitions {

	private static final Logger logger = LoggerFactory.getLogger(Partitions.class);

	private static final int ON_SERVER = 1;

	private static final int ON_CLUSTER = 6;

	private static final int MOST_NAMED = 10;

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
			int usual = this.link.isCluster() ? ON_CLUSTER : ON_SERVER;
			byte[] wanted = Integer.toString(numberThatFits(usual)).getBytes(StandardCharsets.US_ASCII);
			this.link.get(key, (server, name) -> server.set(name, wanted, SetArgs.Builder.nx()));
			stored = this.link.get(key, RedisClusterAsyncCommands::get);
		}
		String text = (stored != null) ? new String(stored, StandardCharsets.US_ASCII) : "";
		if (!text.matches("[1-9]\\d{0,2}")) {
			throw new JobStoreException("The key '" + new String(key, StandardCharsets.UTF_8)
					+ "' must hold the number of partitions but holds '" + text + "'", null, false);
		}
		int number = Integer.parseInt(text);
		int fitting = numberThatFits(number);
		if (fitting != number) {
			throw new JobStoreException("The key '" + new String(key, StandardCharsets.UTF_8) + "' holds " + number
					+ ", but the queues that are stored are where they belong with a number of partitions of " + fitting
					+ "; set it to " + fitting, null, false);
		}
		return number;
	}

	/**
	 * Return a number of partitions with which all queues that are stored are where they
	 * belong: another than the given one if that is not such a number. If there is none,
	 * it is the given one.
	 */
	private int numberThatFits(int number) {
		List<Integer> others = Stream.of(ON_SERVER, ON_CLUSTER).filter((other) -> other != number).toList();
		Map<String, List<String>> queues = new HashMap<>();
		others.forEach((other) -> tagsOf(this.keyspace, other).forEach((tag) -> queues.put(tag, queuesIn(tag))));
		if (fits(number, queues)) {
			return number;
		}
		tagsOf(this.keyspace, number).forEach((tag) -> queues.put(tag, queuesIn(tag)));
		Optional<Integer> fitting = others.stream().filter((other) -> fits(other, queues)).findFirst();
		if (fitting.isEmpty()) {
			logger.warn(
					"Some queues of the namespace '{}' are not found, since they are where they do not belong with "
							+ "{} partitions: {}",
					this.keyspace.namespace(), number, misplaced(number, queues).toList());
		}
		return fitting.orElse(number);
	}

	/**
	 * Return the queues that are stored in a partition. One that cannot be read tells
	 * nothing.
	 */
	private List<String> queuesIn(String tag) {
		try {
			return this.link.get(this.keyspace.key(tag, "queues"), RedisClusterAsyncCommands::hkeys)
				.stream()
				.map((name) -> new String(name, StandardCharsets.UTF_8))
				.toList();
		}
		catch (JobStoreException ex) {
			logger.debug("The queues of {} are not known", tag, ErrorText.loggable(ex));
			return List.of();
		}
	}

	private boolean fits(int number, Map<String, List<String>> queues) {
		return misplaced(number, queues).findAny().isEmpty();
	}

	/**
	 * Return what is not where it belongs with a number of partitions.
	 */
	private Stream<String> misplaced(int number, Map<String, List<String>> queues) {
		List<String> tags = tagsOf(this.keyspace, number);
		return queues.entrySet()
			.stream()
			.flatMap((entry) -> entry.getValue()
				.stream()
				.filter((queue) -> !tags.get(of(queue, number)).equals(entry.getKey()))
				.map((queue) -> "{" + entry.getKey() + "}:q:" + ErrorText.clean(queue, 100)))
			.limit(MOST_NAMED);
	}

	private static List<String> tagsOf(Keyspace keyspace, int count) {
		return IntStream.range(0, count).mapToObj((number) -> keyspace.tag(number, count)).toList();
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
		return of(queue, count());
	}

	private static int of(String queue, int count) {
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
			List<String> tags = tagsOf(keyspace, count);
			return new Layout(tags, tags.stream().map((tag) -> new byte[][] { keyspace.key(tag, "jobs") }).toList());
		}

	}

}
