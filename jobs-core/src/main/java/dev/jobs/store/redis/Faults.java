package dev.jobs.store.redis;

import java.util.List;

import dev.jobs.store.JobStoreException;
import io.lettuce.core.RedisCommandExecutionException;

/**
 * Tells which faults of Redis may pass.
 */
final class Faults {

	/**
	 * What the errors of a server that will recover, or be replaced, contain. Inside a
	 * script's error they are not at its beginning.
	 */
	private static final List<String> PASSING = List.of("OOM ", "READONLY ", "LOADING ", "BUSY ", "MASTERDOWN ",
			"CLUSTERDOWN ", "TRYAGAIN ", "MOVED ", "ASK ", "NOREPLICAS ", "MISCONF ", "a non local key ",
			"max number of clients");

	private Faults() {
	}

	static JobStoreException of(Throwable cause) {
		if (cause instanceof JobStoreException known) {
			return known;
		}
		String message = String.valueOf(cause.getMessage());
		boolean answered = cause instanceof RedisCommandExecutionException;
		boolean temporary = !answered || PASSING.stream().anyMatch(message::contains);
		return new JobStoreException((answered ? "Redis refused: " : "Redis cannot be reached: ") + message, cause,
				temporary);
	}

}
