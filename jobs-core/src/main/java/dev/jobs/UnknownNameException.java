package dev.jobs;

/**
 * Thrown when an operator acts on an unknown queue, schedule, handler, pool or worker.
 * Most likely the name is misspelt. Nothing was changed. A web application replies with
 * 404. <pre class="code">{@code
 * try {
 *     operations.queue("send-mial").pause();
 * }
 * catch (UnknownNameException ex) {
 *     return ex.getMessage();
 * }
 * }</pre>
 */
public class UnknownNameException extends JobException {

	/**
	 * Create an exception.
	 * @param message which name is not known, and to whom
	 */
	public UnknownNameException(String message) {
		super(message, null);
	}

}
