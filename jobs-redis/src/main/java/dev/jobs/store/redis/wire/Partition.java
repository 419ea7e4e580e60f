package dev.jobs.store.redis.wire;

import java.nio.charset.StandardCharsets;

/**
 * A part of a namespace with all keys of some of its queues. The keys have one hash tag,
 * so they are on one node of a cluster.
 */
public final class Partition {

	private final int number;

	private final String tag;

	private final byte[][] scriptKeys;

	/**
	 * Create a partition.
	 * @param number its number, from 0
	 * @param tag the hash tag of its keys
	 */
	public Partition(int number, String tag) {
		this.number = number;
		this.tag = tag;
		this.scriptKeys = new byte[][] { key("jobs") };
	}

	public int number() {
		return this.number;
	}

	/**
	 * Return the prefix of its keys.
	 */
	public String prefix() {
		return "{" + this.tag + "}:";
	}

	public byte[] key(String name) {
		return (prefix() + name).getBytes(StandardCharsets.UTF_8);
	}

	/**
	 * Return the keys for every call of a script, which derives all others from them.
	 */
	byte[][] scriptKeys() {
		return this.scriptKeys;
	}

}
