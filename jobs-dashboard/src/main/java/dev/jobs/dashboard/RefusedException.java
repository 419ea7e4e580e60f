package dev.jobs.dashboard;

import org.springframework.http.HttpStatus;

/**
 * Thrown when a request is refused.
 */
class RefusedException extends RuntimeException {

	private final HttpStatus status;

	RefusedException(HttpStatus status, String message) {
		super(message, null, false, false);
		this.status = status;
	}

	static RefusedException badRequest(String message) {
		return new RefusedException(HttpStatus.BAD_REQUEST, message);
	}

	static RefusedException notFound(String message) {
		return new RefusedException(HttpStatus.NOT_FOUND, message);
	}

	static RefusedException busy(String message) {
		return new RefusedException(HttpStatus.SERVICE_UNAVAILABLE, message);
	}

	HttpStatus getStatus() {
		return this.status;
	}

	@Override
	public String getMessage() {
		return String.valueOf(super.getMessage());
	}

}
