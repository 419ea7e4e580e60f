package dev.jobs.store.redis;

import java.nio.charset.StandardCharsets;

/**
 * The names of a namespace's keys. The namespace and a partition make the hash tag, so
 * all keys of a partition are on one node of a cluster.
 *
 * @param namespace the namespace
 */
record Keyspace(String namespace) {

	Keyspace {
		if (namespace.isEmpty() || namespace.matches(".*[{}].*")) {
			throw new IllegalArgumentException(
					"'namespace' must not be empty nor contain braces but was '" + namespace + "'");
		}
	}

	byte[] key(int partition, String name) {
		return ("{" + this.namespace + ":" + partition + "}:" + name).getBytes(StandardCharsets.UTF_8);
	}

	byte[] signals() {
		return (this.namespace + ":signals").getBytes(StandardCharsets.UTF_8);
	}

}
