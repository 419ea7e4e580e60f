package dev.jobs.benchmarks.subject;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.ServiceLoader;

import dev.jobs.benchmarks.store.PostgresStores;

/**
 * Other libraries to be measured in the same run. They are only there when the benchmarks
 * were built with the profile {@code peers}. They drain and enqueue, and no more is asked
 * of them.
 */
public interface Peers {

	/**
	 * Make the subjects.
	 * @param stores where their tables go
	 * @return the subjects by name
	 */
	Map<String, Subject> on(PostgresStores stores);

	/**
	 * Find those that were built in.
	 * @param stores where their tables go
	 * @return the subjects by name
	 */
	static Map<String, Subject> all(PostgresStores stores) {
		Map<String, Subject> all = new LinkedHashMap<>();
		ServiceLoader.load(Peers.class).forEach((peers) -> all.putAll(peers.on(stores)));
		return all;
	}

}
