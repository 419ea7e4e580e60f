package dev.jobs.benchmarks;

import org.jspecify.annotations.Nullable;

/**
 * Stores on a server, which processes share.
 */
interface ServerStores extends Stores {

	/**
	 * Return what kind of stores they are.
	 * @return the kind, as it is typed
	 */
	String kind();

	/**
	 * Return where the server is.
	 * @return its URL
	 */
	String url();

	/**
	 * Make up a namespace that nobody else has.
	 * @return the namespace
	 */
	String newNamespace();

	/**
	 * Open the store of a namespace, which may hold something already.
	 * @param namespace the namespace
	 * @return the store
	 */
	Opened open(String namespace);

	@Override
	default Opened open() {
		return open(newNamespace());
	}

	@Override
	default Processes processes() {
		return new ServerProcesses(this);
	}

	/**
	 * Use a server.
	 * @param store the kind of store
	 * @param url where it is, or {@code null} to start one
	 * @return the stores
	 * @throws UsageException if there is no such kind, or no server there
	 */
	static ServerStores of(String store, @Nullable String url) {
		return switch (store) {
			case Options.REDIS -> RedisStores.at(url);
			case Options.POSTGRES -> PostgresStores.at(url, null);
			default ->
				throw new UsageException("There is no store '" + store + "'; there are memory, redis and postgres");
		};
	}

}
