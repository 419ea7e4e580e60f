package dev.jobs.store.redis.cluster;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.function.BiFunction;

import dev.jobs.JobStoreException;
import dev.jobs.store.redis.format.Formats;
import dev.jobs.store.redis.wire.Arguments;
import dev.jobs.store.redis.wire.Link;
import dev.jobs.store.redis.wire.Partition;
import dev.jobs.store.redis.wire.Script;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;

/**
 * Moves what is known of a schedule that had another queue before to its new partition. A
 * partition that fails is not asked: no worker can fire the schedule there either.
 */
record MovedSchedules(Link link, PartitionHealth health, List<Partition> partitions) {

	/**
	 * Store the latest that another partition knows, unless the own one knows as much.
	 */
	void copy(String schedule, Partition own) {
		byte[] latest = find(schedule, own);
		byte[] expected = Formats.NOTHING;
		while (Formats.tick(latest).isAfter(Formats.tick(expected))) {
			Arguments arguments = Arguments.at(Instant.EPOCH).add("schedules").add(schedule).add(expected).add(latest);
			byte[] found = this.health.call(own.number(), () -> this.link.run(Script.SWAP, own, arguments)).bytes();
			if (Arrays.equals(found, expected)) {
				return;
			}
			expected = found;
		}
	}

	private byte[] find(String schedule, Partition own) {
		byte[] field = schedule.getBytes(StandardCharsets.UTF_8);
		return inOthers(own, (server, key) -> server.hget(key, field)).stream()
			.filter(Objects::nonNull)
			.max(Comparator.comparing(Formats::tick))
			.orElse(Formats.NOTHING);
	}

	void forget(String schedule, Partition own) {
		byte[] field = schedule.getBytes(StandardCharsets.UTF_8);
		inOthers(own, (server, key) -> server.hdel(key, field));
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
