package dev.jobs.store.redis;

import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import dev.jobs.JobStoreException;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisCommandTimeoutException;
import io.lettuce.core.RedisConnectionException;

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

	/**
	 * What the errors of a server that did not let the client in contain.
	 */
	private static final List<String> BARRED = List.of("NOAUTH ", "WRONGPASS ", "NOSCRIPT ");

	/**
	 * What a server says that does not let its user do something: by itself, and inside a
	 * script, where an older one does not name the command.
	 */
	private static final Pattern FORBIDDEN = Pattern
		.compile("NOPERM |ACL failure in script|The user executing the script can't");

	private static final Pattern LINE = Pattern.compile("user_script:\\s*(\\d+)");

	/**
	 * What a script says that found a key of the wrong type, before it has written
	 * anything.
	 */
	private static final Pattern UNSOUND = Pattern.compile("The key .* holds a \\w+ where a \\w+ must be",
			Pattern.DOTALL);

	private Faults() {
	}

	static JobStoreException of(Throwable cause) {
		if (cause instanceof JobStoreException known) {
			return known;
		}
		String message = String.valueOf(cause.getMessage());
		boolean answered = cause instanceof RedisCommandExecutionException;
		boolean temporary = !answered || PASSING.stream().anyMatch(message::contains);
		String text = (answered ? "Redis refused: " : (cause instanceof RedisCommandTimeoutException)
				? "Redis did not answer: " : "Redis cannot be reached: ") + message;
		return isRefused(cause, message, answered) ? JobStoreException.refused(text, cause, temporary)
				: new JobStoreException(text, cause, temporary);
	}

	/**
	 * Tell whether nothing was applied: the connection could not be opened, or the server
	 * sent the command back before it did anything. These errors come from a script's
	 * first write at the latest; others may come from its midst.
	 */
	private static boolean isRefused(Throwable cause, String message, boolean answered) {
		if (!answered) {
			return cause instanceof RedisConnectionException;
		}
		return PASSING.stream().anyMatch(message::contains) || BARRED.stream().anyMatch(message::contains)
				|| FORBIDDEN.matcher(message).find() || UNSOUND.matcher(message).find();
	}

	/**
	 * Say which command of a script is forbidden to the user, if that is the fault.
	 */
	static JobStoreException explained(JobStoreException fault, Script script) {
		String message = String.valueOf(fault.getMessage());
		Matcher line = LINE.matcher(message);
		if (!FORBIDDEN.matcher(message).find() || !line.find()) {
			return fault;
		}
		return JobStoreException.refused("The user of jobs may not run a command in Redis (in " + script + ": "
				+ script.line(Integer.parseInt(line.group(1))).strip()
				+ "); allow what the documentation of the store says. " + message, fault.getCause(), false);
	}

	static boolean isOfType(Throwable cause) {
		return cause instanceof RedisCommandExecutionException
				&& String.valueOf(cause.getMessage()).contains("WRONGTYPE ");
	}

	/**
	 * Return whether a fault is what a server answered.
	 */
	static boolean isAnswer(JobStoreException fault) {
		return fault.getCause() instanceof RedisCommandExecutionException;
	}

	/**
	 * Say of a fault that other parts of the call may have been applied.
	 */
	static JobStoreException ofPart(JobStoreException fault) {
		return fault.isRefused() ? new JobStoreException(String.valueOf(fault.getMessage()), fault, fault.isTemporary())
				: fault;
	}

	/**
	 * Say of a fault that the command was not sent.
	 */
	static JobStoreException unsent(JobStoreException fault) {
		return fault.isRefused() ? fault
				: JobStoreException.refused(String.valueOf(fault.getMessage()), fault.getCause(), fault.isTemporary());
	}

}
