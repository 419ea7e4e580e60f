package dev.jobs.store.redis;

import java.nio.charset.StandardCharsets;

import io.lettuce.core.cluster.SlotHash;

/**
 * The names of a namespace's keys. All keys of a partition have the same hash tag, so
 * they are on one node of a cluster.
 *
 * @param namespace the namespace
 */
record Keyspace(String namespace) {

	Keyspace {
		if (namespace.isEmpty() || namespace.contains("{") || namespace.contains("}")) {
			throw new IllegalArgumentException(
					"'namespace' must not be empty nor contain braces but was '" + namespace + "'");
		}
	}

	/**
	 * Return the hash tag of a partition. It has a suffix where there are several, so
	 * that the slots of the tags, and with them the partitions, are spread evenly over
	 * the nodes.
	 */
	String tag(int partition, int partitions) {
		String tag = this.namespace + ":" + partition;
		String chosen = tag;
		for (int i = 1; SlotHash.getSlot(chosen) * partitions / SlotHash.SLOT_COUNT != partition; i++) {
			chosen = tag + "." + i;
		}
		return chosen;
	}

	byte[] key(String tag, String name) {
		return ("{" + tag + "}:" + name).getBytes(StandardCharsets.UTF_8);
	}

	byte[] signals() {
		return (this.namespace + ":signals").getBytes(StandardCharsets.UTF_8);
	}

}
