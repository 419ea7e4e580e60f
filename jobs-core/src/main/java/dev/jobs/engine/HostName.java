package dev.jobs.engine;

import java.net.InetAddress;
import java.net.UnknownHostException;

/**
 * The name of this host.
 */
final class HostName {

	private HostName() {
	}

	static String get() {
		try {
			return InetAddress.getLocalHost().getHostName();
		}
		catch (UnknownHostException ex) {
			return "unknown";
		}
	}

}
