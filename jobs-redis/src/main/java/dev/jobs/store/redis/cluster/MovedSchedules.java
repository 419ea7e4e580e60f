package dev.jobs.store.redis.cluster;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;

import dev.jobs.JobStoreException;
import dev.jobs.store.redis.format.Formats;
import dev.jobs.store.redis.wire.Arguments;
import dev.jobs.store.redis.wire.Link;
import dev.jobs.store.redis.wire.Partition;
import dev.jobs.store.redis.wire.Script;

/**
 * Moves what is known of a schedule that had another queue before to its new partition. A
 * partition that fails is not asked: no worker can fire the schedule there either.
 */
final class MovedSchedules {

	private final Link link;

	private final PartitionHealth health;

	private final List<Partition> partitions;

	MovedSchedules(Link link, PartitionHealth health, List<Partition> partitions) {
		this.link = link;
		this.health = health;
		this.partitions = partitions;
	}

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
		byte[] latest = Formats.NOTHING;
		for (Partition other : others(own)) {
			try {
				byte[] known = this.link.get(other, "schedules", (server, key) -> server.hget(key, field));
				if (known != null && (latest.length == 0 || Formats.tick(known).isAfter(Formats.tick(latest)))) {
					latest = known;
				}
			}
			catch (JobStoreException ex) {
				this.health.failed(other.number(), ex);
			}
		}
		return latest;
	}

	void forget(String schedule, Partition own) {
		byte[] field = schedule.getBytes(StandardCharsets.UTF_8);
		for (Partition other : others(own)) {
			try {
				this.link.get(other, "schedules", (server, key) -> server.hdel(key, field));
			}
			catch (JobStoreException ex) {
				this.health.failed(other.number(), ex);
			}
		}
	}

	private List<Partition> others(Partition own) {
		return this.partitions.stream()
			.filter((partition) -> partition != own && !this.health.isLeftAlone(partition.number()))
			.toList();
	}

}
