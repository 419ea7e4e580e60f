package dev.jobs.store.redis;

import java.nio.charset.StandardCharsets;

/**
 * The names of a namespace's keys. The namespace and a partition make the hash tag, so
 * all keys of a partition are on one node of a cluster. There is one partition so far.
 *
 * @param namespace the namespace
 */
record Keyspace(String namespace) {

	private static final String PARTITION = "0";

	Keyspace {
		if (namespace.isEmpty() || namespace.matches(".*[{}].*")) {
			throw new IllegalArgumentException(
					"'namespace' must not be empty nor contain braces but was '" + namespace + "'");
		}
	}

	/**
	 * Return the one key that is passed to scripts, which derive all others from it.
	 */
	byte[] jobs() {
		return key("jobs");
	}

	byte[] key(String name) {
		return ("{" + this.namespace + ":" + PARTITION + "}:" + name).getBytes(StandardCharsets.UTF_8);
	}

	byte[] signals() {
		return (this.namespace + ":signals").getBytes(StandardCharsets.UTF_8);
	}

}
