package dev.jobs.store.redis.wire;

import java.net.UnknownHostException;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import dev.jobs.JobStoreException;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisCommandTimeoutException;
import io.lettuce.core.RedisConnectionException;

import org.springframework.core.NestedExceptionUtils;

/**
 * Translates errors of Redis and of the driver into exceptions of the store, and knows
 * which of them are temporary.
 */
public final class RedisErrors {

	/**
	 * Parts of errors of a server that will recover or be replaced. In a script's error
	 * they are not at the beginning.
	 */
	private static final List<String> TEMPORARY = List.of("OOM ", "READONLY ", "LOADING ", "BUSY ", "MASTERDOWN ",
			"CLUSTERDOWN ", "TRYAGAIN ", "MOVED ", "ASK ", "NOREPLICAS ", "MISCONF ", "a non local key ",
			"max number of clients");

	/**
	 * Parts of errors of a server that rejected the client.
	 */
	private static final List<String> NOT_ADMITTED = List.of("NOAUTH ", "WRONGPASS ", "NOSCRIPT ");

	/**
	 * Parts of errors of a server that forbids a command to its user; for a script an
	 * older server does not name the command.
	 */
	private static final Pattern FORBIDDEN = Pattern
		.compile("NOPERM |ACL failure in script|The user executing the script can't");

	/** An address as the driver writes it, such as localhost/&lt;unresolved&gt;:6379. */
	private static final Pattern ADDRESS = Pattern.compile("Unable to connect to \\[?([^/\\s]*)/(\\S*):(\\d+)");

	/** The prefix of a native transport before the system's message. */
	private static final Pattern NATIVE = Pattern.compile("^\\w+\\(\\.\\.\\) failed(?: with error\\(-?\\d+\\))?: ");

	private static final Pattern LINE = Pattern.compile("user_script:\\s*(\\d+)");

	/**
	 * The error of a script that found a key of the wrong type, before it wrote anything.
	 */
	private static final Pattern UNSOUND = Pattern.compile("The key .* holds a \\w+ where a \\w+ must be",
			Pattern.DOTALL);

	private RedisErrors() {
	}

	public static JobStoreException of(Throwable cause) {
		if (cause instanceof JobStoreException known) {
			return known;
		}
		String message = String.valueOf(cause.getMessage());
		boolean answered = cause instanceof RedisCommandExecutionException;
		boolean temporary = !answered || TEMPORARY.stream().anyMatch(message::contains);
		String text = (cause instanceof RedisConnectionException) ? unreachable(cause, message)
				: (answered ? "Redis refused: " : (cause instanceof RedisCommandTimeoutException)
						? "Redis did not answer: " : "Redis cannot be reached: ") + message;
		return isRefused(cause, message, answered) ? JobStoreException.refused(text, cause, temporary)
				: new JobStoreException(text, cause, temporary);
	}

	/**
	 * Describe where no connection was opened and why. The driver has the place in its
	 * message and the reason in a cause.
	 */
	private static String unreachable(Throwable cause, String message) {
		Throwable root = NestedExceptionUtils.getMostSpecificCause(cause);
		Matcher address = ADDRESS.matcher(message);
		String why = (root instanceof UnknownHostException) ? "unknown host" : (root.getMessage() != null)
				? NATIVE.matcher(root.getMessage()).replaceFirst("") : root.getClass().getSimpleName();
		String what = (root instanceof RedisCommandExecutionException) ? " refuses the connection: "
				: " cannot be reached: ";
		if (address.find()) {
			String host = address.group(1).isEmpty() ? address.group(2) : address.group(1);
			return "Redis at " + host + ":" + address.group(3) + what + why;
		}
		return "Redis" + what + ((root == cause) ? message : message + ": " + why);
	}

	/**
	 * Return whether nothing was applied: the connection could not be opened, or the
	 * server refused the command before it did anything. These errors occur at a script's
	 * first write or before; others may occur in its middle.
	 */
	private static boolean isRefused(Throwable cause, String message, boolean answered) {
		if (!answered) {
			return cause instanceof RedisConnectionException;
		}
		return TEMPORARY.stream().anyMatch(message::contains) || NOT_ADMITTED.stream().anyMatch(message::contains)
				|| FORBIDDEN.matcher(message).find() || UNSOUND.matcher(message).find();
	}

	/**
	 * Return the script command that is forbidden to the user, if that is the error.
	 */
	public static JobStoreException explained(JobStoreException fault, Script script) {
		String message = String.valueOf(fault.getMessage());
		Matcher line = LINE.matcher(message);
		if (!FORBIDDEN.matcher(message).find() || !line.find()) {
			return fault;
		}
		return JobStoreException.refused("The user of jobs may not run a command in Redis (in " + script + ": "
				+ script.line(Integer.parseInt(line.group(1))).strip()
				+ "); allow what the documentation of the store says. " + message, fault.getCause(), false);
	}

	public static boolean isOfType(Throwable cause) {
		return cause instanceof RedisCommandExecutionException
				&& String.valueOf(cause.getMessage()).contains("WRONGTYPE ");
	}

	/**
	 * Return whether a fault is an error reply of a server.
	 */
	public static boolean isAnswer(JobStoreException fault) {
		return fault.getCause() instanceof RedisCommandExecutionException;
	}

	/**
	 * Return a fault for a call of which other parts may have been applied.
	 */
	public static JobStoreException ofPart(JobStoreException fault) {
		return fault.isRefused() ? new JobStoreException(String.valueOf(fault.getMessage()), fault, fault.isTemporary())
				: fault;
	}

	/**
	 * Return a fault for a command that was not sent.
	 */
	public static JobStoreException unsent(JobStoreException fault) {
		return fault.isRefused() ? fault
				: JobStoreException.refused(String.valueOf(fault.getMessage()), fault.getCause(), fault.isTemporary());
	}

}
