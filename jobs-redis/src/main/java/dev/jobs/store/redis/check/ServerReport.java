package dev.jobs.store.redis.check;

import java.util.List;

/**
 * Whether the servers behind a store are fit for keeping jobs.
 *
 * @param servers the servers: one, or each master of a cluster
 */
public record ServerReport(List<Server> servers) {

	public ServerReport {
		servers = List.copyOf(servers);
	}

	/**
	 * A server.
	 *
	 * @param address where it is
	 * @param runId identifies this run of the server, which changes with a restart
	 * @param version its version, or an empty text if it is unknown
	 * @param findings its problems
	 * @param unchecked what could not be checked
	 */
	public record Server(String address, String runId, String version, List<Finding> findings, List<String> unchecked) {

		public Server {
			findings = List.copyOf(findings);
			unchecked = List.copyOf(unchecked);
		}

	}

	/**
	 * A problem of a server.
	 *
	 * @param problem what
	 * @param message the message for people, with the remedy
	 */
	public record Finding(Problem problem, String message) {

	}

	/**
	 * The problems that a server may have.
	 */
	public enum Problem {

		/** It is older than 6.2; the store does not work. */
		TOO_OLD,

		/** It evicts keys when it is full. */
		EVICTS,

		/** It keeps no append-only file. */
		NO_APPEND_ONLY_FILE,

		/** It lets the operating system decide when the append-only file is written. */
		NO_FSYNC,

		/** It has fewer replicas than an enqueue waits for. */
		TOO_FEW_REPLICAS

	}

}
