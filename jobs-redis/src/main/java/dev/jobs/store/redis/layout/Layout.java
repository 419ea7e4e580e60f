package dev.jobs.store.redis.layout;

import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

import dev.jobs.JobStoreException;
import dev.jobs.store.redis.wire.Link;
import dev.jobs.store.redis.wire.Partition;
import dev.jobs.text.ErrorText;
import io.lettuce.core.SetArgs;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Decides how many partitions a namespace has: one on a single server, six on a cluster.
 * The number is stored when the namespace is first used and stays when the data moves. A
 * stored number that does not fit the stored queues is refused, because their jobs would
 * not be found.
 */
public final class Layout {

	private static final Logger logger = LoggerFactory.getLogger(Layout.class);

	private static final int ON_SERVER = 1;

	private static final int ON_CLUSTER = 6;

	private static final int MOST_NAMED = 10;

	private final Link link;

	private final Namespace namespace;

	private volatile @Nullable Partitions partitions;

	public Layout(Link link, Namespace namespace) {
		this.link = link;
		this.namespace = namespace;
	}

	/**
	 * Return the partitions, which the first call looks up.
	 * @throws JobStoreException if the server does not answer, or the stored number must
	 * not be used
	 */
	public Partitions partitions() {
		Partitions partitions = this.partitions;
		if (partitions == null) {
			partitions = new Partitions(this.namespace.partitions(count()));
			this.partitions = partitions;
		}
		return partitions;
	}

	private int count() {
		Partition first = this.namespace.partitions(1).get(0);
		String key = first.prefix() + "partitions";
		byte[] stored = this.link.get(first, "partitions", RedisClusterAsyncCommands::get);
		if (stored == null) {
			int usual = this.link.isCluster() ? ON_CLUSTER : ON_SERVER;
			byte[] wanted = Integer.toString(fitting(usual)).getBytes(StandardCharsets.US_ASCII);
			this.link.get(first, "partitions", (server, name) -> server.set(name, wanted, SetArgs.Builder.nx()));
			stored = this.link.get(first, "partitions", RedisClusterAsyncCommands::get);
		}
		String text = (stored != null) ? new String(stored, StandardCharsets.US_ASCII) : "";
		if (!text.matches("[1-9]\\d{0,2}")) {
			throw new JobStoreException(
					"The key '" + key + "' must hold the number of partitions but holds '" + text + "'", null, false);
		}
		int count = Integer.parseInt(text);
		int fitting = fitting(count);
		if (fitting != count) {
			throw new JobStoreException("The key '" + key + "' holds " + count
					+ ", but the queues that are stored are where they belong with a number of partitions of " + fitting
					+ "; set it to " + fitting, null, false);
		}
		return count;
	}

	/**
	 * Return a number of partitions with which all stored queues are where they belong:
	 * the given number if it fits or none does, otherwise another one.
	 */
	private int fitting(int count) {
		List<Integer> others = Stream.of(ON_SERVER, ON_CLUSTER).filter((other) -> other != count).toList();
		Map<String, List<String>> queues = new HashMap<>();
		others.forEach((other) -> addQueues(other, queues));
		if (fits(count, queues)) {
			return count;
		}
		addQueues(count, queues);
		Optional<Integer> fitting = others.stream().filter((other) -> fits(other, queues)).findFirst();
		if (fitting.isEmpty()) {
			logger.warn(
					"Some queues of the namespace '{}' are not found, since they are not where they belong "
							+ "with {} partitions: {}",
					this.namespace.name(), count, misplaced(count, queues).toList());
		}
		return fitting.orElse(count);
	}

	private void addQueues(int count, Map<String, List<String>> queues) {
		this.namespace.partitions(count).forEach((partition) -> queues.put(partition.prefix(), queuesIn(partition)));
	}

	/**
	 * Return the queues that are stored in a partition, none if they cannot be read.
	 */
	private List<String> queuesIn(Partition partition) {
		try {
			return this.link.get(partition, "queues", RedisClusterAsyncCommands::hkeys)
				.stream()
				.map((name) -> new String(name, StandardCharsets.UTF_8))
				.toList();
		}
		catch (JobStoreException ex) {
			logger.debug("The queues of {} cannot be read", partition.prefix(), ErrorText.loggable(ex));
			return List.of();
		}
	}

	private boolean fits(int count, Map<String, List<String>> queues) {
		return misplaced(count, queues).findAny().isEmpty();
	}

	/**
	 * Return the queues that are not where they belong with a number of partitions.
	 */
	private Stream<String> misplaced(int count, Map<String, List<String>> queues) {
		List<Partition> partitions = this.namespace.partitions(count);
		return queues.entrySet()
			.stream()
			.flatMap((entry) -> entry.getValue()
				.stream()
				.filter((queue) -> !partitions.get(Partitions.numberOf(queue, count)).prefix().equals(entry.getKey()))
				.map((queue) -> entry.getKey() + "q:" + ErrorText.clean(queue, 100)))
			.limit(MOST_NAMED);
	}

}
