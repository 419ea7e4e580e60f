package dev.jobs.benchmarks;

/**
 * The arguments make no sense. The message says why.
 */
final class UsageException extends RuntimeException {

	private static final long serialVersionUID = 1L;

	UsageException(String message) {
		super(message);
	}

}
