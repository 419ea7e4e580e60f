package dev.jobs.lab;

/**
 * The servers of a trial.
 */
interface Servers extends AutoCloseable {

	/**
	 * Return where the store is reached.
	 */
	String direct();

	/**
	 * Return which servers they are, with their version.
	 */
	String version();

	/**
	 * Return the port of the server that a proxy leads to, or -1 if there can be none.
	 */
	default int port() {
		return -1;
	}

	/**
	 * Return where the store is reached through a proxy.
	 * @param port the port of the proxy
	 */
	default String through(int port) {
		return direct();
	}

	/**
	 * Return the namespace of the trial, prepared for use.
	 */
	default String namespace() {
		return "lab";
	}

	/**
	 * Break something.
	 * @param fault what, one of those that happen to the server
	 */
	void inject(Fault fault);

	/**
	 * Make good what was broken and does not heal by itself.
	 * @param fault what was broken
	 */
	void heal(Fault fault);

	@Override
	void close();

}
