package dev.jobs.store.redis.layout;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.IntStream;

import dev.jobs.store.redis.wire.Partition;
import io.lettuce.core.cluster.SlotHash;

/**
 * The prefix of all keys of a store. All keys of a partition have the same hash tag, so
 * they are on one node of a cluster.
 *
 * @param name the name
 */
public record Namespace(String name) {

	public Namespace {
		if (name.isEmpty() || name.contains("{") || name.contains("}")) {
			throw new IllegalArgumentException(
					"'namespace' must not be empty nor contain braces but was '" + name + "'");
		}
	}

	/**
	 * Return the partitions of a namespace by their number.
	 */
	List<Partition> partitions(int count) {
		return IntStream.range(0, count).mapToObj((number) -> new Partition(number, tag(number, count))).toList();
	}

	/**
	 * Return the hash tag of a partition. With several partitions it has a suffix that
	 * spreads the tags' slots, and so the partitions, evenly over the nodes.
	 */
	private String tag(int number, int count) {
		String tag = this.name + ":" + number;
		String chosen = tag;
		for (int i = 1; SlotHash.getSlot(chosen) * count / SlotHash.SLOT_COUNT != number; i++) {
			chosen = tag + "." + i;
		}
		return chosen;
	}

	/**
	 * Return the channel of the signals.
	 */
	public byte[] channel() {
		return (this.name + ":signals").getBytes(StandardCharsets.UTF_8);
	}

}
