package dev.jobs.serialization;

import java.lang.reflect.Type;

import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.TokenStreamLocation;
import tools.jackson.core.exc.StreamConstraintsException;
import tools.jackson.core.exc.StreamReadException;
import tools.jackson.databind.exc.InvalidDefinitionException;
import tools.jackson.databind.exc.MismatchedInputException;

/**
 * What went wrong in Jackson, told without its messages where they may quote the payload
 * and without its exceptions, whose messages a log would show.
 *
 * @param thrown what was thrown
 */
record JacksonProblem(Throwable thrown) {

	private static final int SHOWN_LENGTH = 200;

	/**
	 * Wrap what was thrown, unless the virtual machine itself is in trouble.
	 */
	static JacksonProblem of(Throwable thrown) {
		if (thrown instanceof VirtualMachineError error && !(thrown instanceof StackOverflowError)) {
			throw error;
		}
		return new JacksonProblem(thrown);
	}

	PayloadException whileWriting(Class<?> type) {
		String reason = (this.thrown instanceof JacksonException ex && foreignCause() == null) ? ex.getOriginalMessage()
				: thrownByPayload();
		return exception("Cannot write a payload of " + type.getTypeName() + " as JSON" + path() + ": ", reason);
	}

	PayloadException whileReading(Type type) {
		return exception("Cannot read the payload as " + type.getTypeName() + path() + position() + ": ",
				readingReason());
	}

	private String readingReason() {
		if (this.thrown instanceof StreamConstraintsException) {
			return "a number, string or nesting exceeds the limits of the JSON parser";
		}
		if (this.thrown instanceof StreamReadException) {
			return "it is not valid JSON";
		}
		if (this.thrown instanceof MismatchedInputException ex) {
			return misfit(ex);
		}
		if (this.thrown instanceof InvalidDefinitionException ex) {
			return ex.getOriginalMessage();
		}
		return thrownByPayload();
	}

	private static String misfit(MismatchedInputException ex) {
		if (ex.getOriginalMessage().startsWith("Trailing token")) {
			return "something follows after its end";
		}
		Class<?> target = ex.getTargetType();
		return "a value does not fit" + ((target != null) ? " " + target.getTypeName() : "");
	}

	private String thrownByPayload() {
		if (this.thrown instanceof StackOverflowError) {
			return "it is nested too deeply or contains itself";
		}
		Throwable cause = foreignCause();
		return ((cause != null) ? cause : this.thrown).getClass().getName() + " was thrown";
	}

	private String path() {
		if (!(this.thrown instanceof JacksonException ex) || ex.getPath().isEmpty()) {
			return "";
		}
		StringBuilder path = new StringBuilder();
		for (JacksonException.Reference step : ex.getPath()) {
			if (path.length() > SHOWN_LENGTH) {
				break;
			}
			String property = step.getPropertyName();
			path.append((property != null) ? "." + property : "[" + step.getIndex() + "]");
		}
		return " at '" + cut((path.charAt(0) == '.') ? path.substring(1) : path.toString()) + "'";
	}

	private String position() {
		TokenStreamLocation location = (this.thrown instanceof JacksonException ex) ? ex.getLocation() : null;
		return (location != null && location.getByteOffset() >= 0) ? " (byte " + location.getByteOffset() + ")" : "";
	}

	private PayloadException exception(String problem, String reason) {
		Throwable cause = (this.thrown instanceof MismatchedInputException) ? null : foreignCause();
		return new PayloadException(problem + cut(reason), cause);
	}

	/** The exception of a getter, a constructor or the like, not one of Jackson's. */
	private @Nullable Throwable foreignCause() {
		Throwable cause = this.thrown;
		while (cause instanceof JacksonException) {
			cause = cause.getCause();
		}
		return (cause instanceof StackOverflowError) ? null : cause;
	}

	private static String cut(String text) {
		String shown = (text.length() > SHOWN_LENGTH) ? text.substring(0, SHOWN_LENGTH) + "..." : text;
		return shown.replaceAll("\\p{C}", "?");
	}

}
