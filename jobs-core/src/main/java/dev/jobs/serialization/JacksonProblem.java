package dev.jobs.serialization;

import java.lang.reflect.Type;
import java.util.Collection;
import java.util.Map;
import java.util.function.BiPredicate;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonToken;
import tools.jackson.core.TokenStreamLocation;
import tools.jackson.core.exc.InputCoercionException;
import tools.jackson.core.exc.StreamConstraintsException;
import tools.jackson.core.exc.StreamReadException;
import tools.jackson.databind.exc.InvalidDefinitionException;
import tools.jackson.databind.exc.InvalidFormatException;
import tools.jackson.databind.exc.InvalidNullException;
import tools.jackson.databind.exc.InvalidTypeIdException;
import tools.jackson.databind.exc.MismatchedInputException;
import tools.jackson.databind.exc.UnrecognizedPropertyException;

/**
 * A fault in Jackson, described without messages that may quote the payload, and without
 * the exceptions, whose messages a log would show.
 *
 * @param thrown what was thrown
 * @param isProperty whether a class has a property of a name; other names are keys, which
 * are payload
 */
record JacksonProblem(Throwable thrown, BiPredicate<Class<?>, String> isProperty) {

	/** Jackson's message about an object that nothing creates; it quotes no value. */
	private static final Pattern NO_CREATOR = Pattern
		.compile("Cannot construct instance of `[^`]*`.* from Object value \\(no [^()]* Creator[^()]*\\)");

	private static final int LONGEST_PATH = 200;

	private static final int LONGEST_REASON = 500;

	/**
	 * Wrap what was thrown, unless the virtual machine itself is in trouble.
	 */
	static JacksonProblem of(Throwable thrown, BiPredicate<Class<?>, String> isProperty) {
		if (thrown instanceof VirtualMachineError error && !(thrown instanceof StackOverflowError)) {
			throw error;
		}
		return new JacksonProblem(thrown, isProperty);
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

	/**
	 * Describe what does not fit in a payload that is not secret.
	 */
	PayloadException whileMatching() {
		String path = path().strip();
		if (this.thrown instanceof UnrecognizedPropertyException ex) {
			String known = ex.getKnownPropertyIds()
				.stream()
				.map(String::valueOf)
				.sorted()
				.collect(Collectors.joining(", "));
			return exception("", ex.getReferringClass().getTypeName() + " has no property '" + ex.getPropertyName()
					+ "'; " + (known.isEmpty() ? "it has none" : "it has: " + known));
		}
		return exception(path.isEmpty() ? "" : path + ": ", readingReason());
	}

	/**
	 * Describe a fault in the definition of a type.
	 */
	PayloadException whilePreparing(Type type) {
		return exception("A payload of " + type.getTypeName() + " could not be read back: ",
				(this.thrown instanceof JacksonException ex) ? ex.getOriginalMessage() : thrownByPayload());
	}

	private String readingReason() {
		if (this.thrown instanceof StreamConstraintsException) {
			return "a number, string or nesting exceeds the limits of the JSON parser";
		}
		if (this.thrown instanceof InputCoercionException ex && ex.getTargetType() != null) {
			return "expected " + ex.getTargetType().getTypeName() + ", found a number beyond its range";
		}
		if (this.thrown instanceof StreamReadException) {
			return "it is not valid JSON";
		}
		if (this.thrown instanceof UnknownProperties.NothingKnown ex) {
			return ex.describe();
		}
		if (this.thrown instanceof InvalidNullException ex) {
			return "null" + ((ex.getPropertyName() != null) ? " for '" + ex.getPropertyName() + "'" : "")
					+ ", which may not be null";
		}
		if (this.thrown instanceof InvalidTypeIdException ex) {
			return "its type id "
					+ ((ex.getTypeId() != null) ? Shown.name(ex.getTypeId()) + " is not known" : "is missing")
					+ ((ex.getBaseType() != null) ? " for " + ex.getBaseType().getRawClass().getTypeName() : "");
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
		if (NO_CREATOR.matcher(ex.getOriginalMessage()).matches()) {
			return ex.getOriginalMessage();
		}
		Class<?> target = ex.getTargetType();
		Object value = (ex instanceof InvalidFormatException format) ? format.getValue() : null;
		if (target != null && target.isEnum() && value instanceof String text) {
			return "expected one of " + Shown
				.list(Stream.of(target.getEnumConstants()).map((constant) -> ((Enum<?>) constant).name()).toList())
					+ " for " + target.getTypeName() + ", found " + Shown.name(text);
		}
		String found = found(ex.getCurrentToken());
		if (target == null) {
			return "a value does not fit" + ((found != null) ? ", found " + found : "");
		}
		String expected = expected(target);
		String form = (value instanceof String text) ? " " + Shown.form(text) : "";
		if (found == null || found.equals(expected)) {
			return "a value does not fit " + target.getTypeName() + ((found != null) ? ", found " + found + form : "");
		}
		return "expected " + ((expected != null) ? expected + " for " : "") + target.getTypeName() + ", found " + found
				+ form;
	}

	private static @Nullable String found(@Nullable JsonToken token) {
		if (token == null) {
			return null;
		}
		return switch (token) {
			case START_OBJECT, END_OBJECT, PROPERTY_NAME -> "an object";
			case START_ARRAY, END_ARRAY -> "an array";
			case VALUE_STRING -> "text";
			case VALUE_NUMBER_INT, VALUE_NUMBER_FLOAT -> "a number";
			case VALUE_TRUE, VALUE_FALSE -> "true or false";
			case VALUE_NULL -> "null";
			default -> null;
		};
	}

	private static @Nullable String expected(Class<?> target) {
		if (target.isArray() || Collection.class.isAssignableFrom(target)) {
			return "an array";
		}
		if (target == boolean.class || target == Boolean.class) {
			return "true or false";
		}
		if (target.isPrimitive() || Number.class.isAssignableFrom(target)) {
			return "a number";
		}
		if (CharSequence.class.isAssignableFrom(target) || target.isEnum()) {
			return "text";
		}
		return (Map.class.isAssignableFrom(target) || !target.getName().startsWith("java.")) ? "an object" : null;
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
			if (path.length() > LONGEST_PATH) {
				break;
			}
			path.append(step(step));
		}
		return " at '" + cut((path.charAt(0) == '.') ? path.substring(1) : path.toString(), LONGEST_PATH) + "'";
	}

	private String step(JacksonException.Reference step) {
		String name = step.getPropertyName();
		if (name == null) {
			return "[" + step.getIndex() + "]";
		}
		Object from = step.from();
		Class<?> owner = (from == null || from instanceof Class<?>) ? (Class<?>) from : from.getClass();
		return (owner != null && this.isProperty.test(owner, name)) ? "." + name : "[*]";
	}

	private String position() {
		TokenStreamLocation location = (this.thrown instanceof JacksonException ex) ? ex.getLocation() : null;
		return (location != null && location.getByteOffset() >= 0) ? " (byte " + location.getByteOffset() + ")" : "";
	}

	private PayloadException exception(String problem, String reason) {
		Throwable cause = (this.thrown instanceof MismatchedInputException) ? null : foreignCause();
		return new PayloadException(problem + cut(reason, LONGEST_REASON), cause);
	}

	/** The exception of a getter, a constructor or the like, not of Jackson. */
	private @Nullable Throwable foreignCause() {
		Throwable cause = this.thrown;
		while (cause instanceof JacksonException) {
			cause = cause.getCause();
		}
		return (cause instanceof StackOverflowError) ? null : cause;
	}

	private static String cut(String text, int longest) {
		String shown = (text.length() > longest) ? text.substring(0, longest) + "..." : text;
		return shown.replaceAll("\\p{C}", "?");
	}

}
