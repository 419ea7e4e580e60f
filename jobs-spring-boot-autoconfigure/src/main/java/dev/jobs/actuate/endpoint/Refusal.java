package dev.jobs.actuate.endpoint;

/**
 * A request that cannot be done, with the status that says why.
 */
final class Refusal extends RuntimeException {

	private final int status;

	private Refusal(int status, String message) {
		super(message, null, false, false);
		this.status = status;
	}

	static Refusal badRequest(String message) {
		return new Refusal(400, message);
	}

	static Refusal forbidden(String message) {
		return new Refusal(403, message);
	}

	static Refusal notFound(String message) {
		return new Refusal(404, message);
	}

	static Refusal conflict(String message) {
		return new Refusal(409, message);
	}

	static Refusal busy(String message) {
		return new Refusal(503, message);
	}

	int status() {
		return this.status;
	}

}
