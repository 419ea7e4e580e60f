package dev.jobs.benchmarks.store;

/**
 * Stores on a server, which processes share.
 */
public interface ServerStores extends Stores {

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

	/**
	 * Return how much the server keeps, in memory or on the disk.
	 * @return the bytes
	 */
	long usedBytes();

}
