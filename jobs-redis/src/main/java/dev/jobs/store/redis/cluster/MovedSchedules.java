package dev.jobs.store.redis.cluster;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiFunction;
import java.util.function.BinaryOperator;

import dev.jobs.JobStoreException;
import dev.jobs.store.Tick;
import dev.jobs.store.redis.format.Formats;
import dev.jobs.store.redis.wire.Arguments;
import dev.jobs.store.redis.wire.Link;
import dev.jobs.store.redis.wire.Partition;
import dev.jobs.store.redis.wire.Script;
import io.lettuce.core.KeyValue;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;

/**
 * Moves the state of schedules that had another queue before to the new partition. A
 * partition that fails is not asked: no worker can fire a schedule there either.
 */
record MovedSchedules(Link link, PartitionHealth health, List<Partition> partitions) {

	/**
	 * Store the latest state of schedules in other partitions, unless their own one knows
	 * as much.
	 */
	void copy(List<Tick> ticks, Partition own) {
		byte[][] names = names(ticks);
		if (names.length == 0) {
			return;
		}
		Map<String, byte[]> found = new HashMap<>();
		inOthers(own, (server, key) -> server.hmget(key, names)).stream()
			.flatMap(List::stream)
			.filter(KeyValue::hasValue)
			.forEach((known) -> found.merge(new String(known.getKey(), StandardCharsets.UTF_8), known.getValue(),
					BinaryOperator.maxBy(Formats.LATER_STORED)));
		found.forEach((schedule, latest) -> copy(schedule, latest, own));
	}

	private void copy(String schedule, byte[] latest, Partition own) {
		byte[] expected = Formats.NOTHING;
		while (Formats.LATER_STORED.compare(latest, expected) > 0) {
			Arguments arguments = Arguments.at(Instant.EPOCH).add("schedules").add(schedule).add(expected).add(latest);
			byte[] found = this.health.call(own.number(), () -> this.link.run(Script.SWAP, own, arguments)).bytes();
			if (Arrays.equals(found, expected)) {
				return;
			}
			expected = found;
		}
	}

	/**
	 * Return whether a partition other than that of its queue knows a schedule.
	 */
	boolean isElsewhere(String schedule, Partition own) {
		byte[] name = schedule.getBytes(StandardCharsets.UTF_8);
		return inOthers(own, (server, key) -> server.hexists(key, name)).contains(Boolean.TRUE);
	}

	void forget(List<Tick> ticks, Partition own) {
		byte[][] names = names(ticks);
		if (names.length > 0) {
			inOthers(own, (server, key) -> server.hdel(key, names));
		}
	}

	private static byte[][] names(List<Tick> ticks) {
		return ticks.stream()
			.map((tick) -> tick.schedule().name().getBytes(StandardCharsets.UTF_8))
			.toArray(byte[][]::new);
	}

	private <T> List<T> inOthers(Partition own,
			BiFunction<RedisClusterAsyncCommands<byte[], byte[]>, byte[], RedisFuture<T>> command) {
		List<T> replies = new ArrayList<>();
		for (Partition other : this.partitions) {
			if (other != own && !this.health.isLeftAlone(other.number())) {
				try {
					replies.add(this.link.get(other, "schedules", command));
				}
				catch (JobStoreException ex) {
					this.health.failed(other.number(), ex);
				}
			}
		}
		return replies;
	}

}
