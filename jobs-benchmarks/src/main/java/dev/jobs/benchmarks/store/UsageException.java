package dev.jobs.benchmarks.store;

/**
 * The arguments make no sense. The message says why.
 */
public final class UsageException extends RuntimeException {

	private static final long serialVersionUID = 1L;

	public UsageException(String message) {
		super(message);
	}

}
