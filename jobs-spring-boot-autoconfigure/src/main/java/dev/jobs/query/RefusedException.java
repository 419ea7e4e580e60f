package dev.jobs.query;

import java.util.function.Supplier;

import dev.jobs.JobRejectedException;
import dev.jobs.UnknownNameException;

/**
 * Thrown when a request is refused, with the HTTP status for the reason.
 */
public class RefusedException extends RuntimeException {

	private final int status;

	/**
	 * Create a refusal.
	 * @param status the status
	 * @param message why it is refused
	 */
	public RefusedException(int status, String message) {
		super(message, null, false, false);
		this.status = status;
	}

	/**
	 * Return the refusal of a request that makes no sense.
	 * @param message why
	 * @return the refusal
	 */
	public static RefusedException badRequest(String message) {
		return new RefusedException(400, message);
	}

	/**
	 * Return the refusal of a request that this caller may not make.
	 * @param message why
	 * @return the refusal
	 */
	public static RefusedException forbidden(String message) {
		return new RefusedException(403, message);
	}

	/**
	 * Return the refusal of a request for something that does not exist.
	 * @param message why
	 * @return the refusal
	 */
	public static RefusedException notFound(String message) {
		return new RefusedException(404, message);
	}

	/**
	 * Return the refusal of an action that the current state does not allow.
	 * @param message why
	 * @return the refusal
	 */
	public static RefusedException conflict(String message) {
		return new RefusedException(409, message);
	}

	/**
	 * Act, and turn an exception of the operations into a refusal.
	 * @param <T> the type of the result
	 * @param act the act
	 * @return its result
	 */
	public static <T> T orRefused(Supplier<T> act) {
		try {
			return orBadRequest(act);
		}
		catch (UnknownNameException ex) {
			throw notFound(String.valueOf(ex.getMessage()));
		}
		catch (JobRejectedException | IllegalStateException ex) {
			throw conflict(String.valueOf(ex.getMessage()));
		}
	}

	/**
	 * Read, and turn an exception for bad parameters into a refusal.
	 * @param <T> the type of the result
	 * @param read the read
	 * @return its result
	 */
	public static <T> T orBadRequest(Supplier<T> read) {
		try {
			return read.get();
		}
		catch (IllegalArgumentException ex) {
			throw badRequest(String.valueOf(ex.getMessage()));
		}
	}

	/**
	 * Return the status for the reason.
	 * @return the status of HTTP
	 */
	public int getStatus() {
		return this.status;
	}

	@Override
	public String getMessage() {
		return String.valueOf(super.getMessage());
	}

}
