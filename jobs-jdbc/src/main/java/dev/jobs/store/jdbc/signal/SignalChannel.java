package dev.jobs.store.jdbc.signal;

import java.util.Collection;

/**
 * Carries signals to and from other processes.
 */
public interface SignalChannel {

	/**
	 * Begin to receive the signals of others.
	 */
	void open();

	/**
	 * Send signals soon, without waiting for it.
	 */
	void send(Collection<Signal> signals);

	/**
	 * Stop receiving.
	 */
	void close();

	/**
	 * Stop sending and receiving.
	 */
	void end();

}
