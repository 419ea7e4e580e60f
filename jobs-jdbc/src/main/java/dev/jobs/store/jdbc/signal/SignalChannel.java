package dev.jobs.store.jdbc.signal;

import java.util.Collection;

/**
 * Carries signals to and from other processes.
 */
public interface SignalChannel {

	/**
	 * Begin to receive what others send.
	 */
	void open();

	/**
	 * Send signals, soon and without waiting for it.
	 */
	void send(Collection<Signal> signals);

	/**
	 * Receive nothing any more.
	 */
	void close();

	/**
	 * Neither send nor receive any more.
	 */
	void end();

}
