package dev.jobs.lab;

import java.io.IOException;
import java.io.UncheckedIOException;

/**
 * Signals of the operating system.
 */
final class Signals {

	private Signals() {
	}

	/**
	 * Send a signal to a process; it may be gone already.
	 * @param process the process
	 * @param signal the name of the signal
	 */
	static void send(ProcessHandle process, String signal) {
		try {
			new ProcessBuilder("sh", "-c", "kill -" + signal + " " + process.pid() + " 2>/dev/null").start().waitFor();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

}
