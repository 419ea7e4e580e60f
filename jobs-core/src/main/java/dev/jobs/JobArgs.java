package dev.jobs;

import java.math.BigDecimal;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import org.jspecify.annotations.Nullable;

/**
 * Named arguments of a job, read by type.
 * <p>
 * A read that fails returns a zero value and records an error. The latest error stays,
 * whatever is read afterwards, so a handler may read everything first and then
 * {@link #check()} once. Arguments nested in these share their error. Not for use by
 * several threads at once. <pre class="code">{@code
 * JobArgs args = JobArgs.of(Map.of("to", "ada", "copies", 2));
 * String to = args.string("to");
 * long copies = args.integer("copies");
 * args.check();
 * }</pre>
 */
public final class JobArgs {

	private static final int SHOWN_LENGTH = 80;

	private final Map<String, @Nullable Object> values;

	private final String path;

	private final LatestError latest;

	private JobArgs(Map<?, ? extends @Nullable Object> values, String path, LatestError latest) {
		Map<String, @Nullable Object> copy = new LinkedHashMap<>();
		values.forEach((key, value) -> copy.put(String.valueOf(key), value));
		this.values = Collections.unmodifiableMap(copy);
		this.path = path;
		this.latest = latest;
	}

	/**
	 * Take the arguments from a map.
	 * @param values the values by key; {@code null} is taken as empty
	 */
	public static JobArgs of(@Nullable Map<String, ? extends @Nullable Object> values) {
		return new JobArgs((values != null) ? values : Map.of(), "", new LatestError());
	}

	/**
	 * Read a string.
	 * @return the string, or an empty one after an error
	 */
	public String string(String key) {
		return (raw(key) instanceof String text) ? text : failed(key, "a string", "");
	}

	/**
	 * Read a whole number of any number type.
	 * @return the exact number, or 0 after an error
	 */
	public long integer(String key) {
		Object value = raw(key);
		try {
			BigDecimal exact = (value instanceof Double || value instanceof Float)
					? new BigDecimal(((Number) value).doubleValue()) : exact(value);
			if (exact != null) {
				return exact.longValueExact();
			}
		}
		catch (ArithmeticException | NumberFormatException ex) {
			// Reported below, like a value that is no number.
		}
		return failed(key, "a whole number in the range of a long", 0L);
	}

	/**
	 * Read a decimal number exactly; a floating-point number is read as the shortest
	 * decimal that represents it.
	 * @return the number, or zero after an error
	 */
	public BigDecimal decimal(String key) {
		BigDecimal exact = exact(raw(key));
		return (exact != null) ? exact : failed(key, "a decimal number", BigDecimal.ZERO);
	}

	/**
	 * Read a number as the nearest floating-point value.
	 * @return the number, or 0.0 after an error
	 */
	public double number(String key) {
		return (raw(key) instanceof Number number) ? number.doubleValue() : failed(key, "a number", 0.0);
	}

	/**
	 * Read a truth value.
	 * @return the value, or {@code false} after an error
	 */
	public boolean bool(String key) {
		return (raw(key) instanceof Boolean value) ? value : failed(key, "a boolean", false);
	}

	/**
	 * Read a list.
	 * @return the list, or an empty one after an error
	 */
	public List<? extends @Nullable Object> list(String key) {
		return (raw(key) instanceof List<?> list) ? Collections.unmodifiableList(list)
				: failed(key, "a list", List.of());
	}

	/**
	 * Read nested arguments.
	 * @return the arguments, empty after an error
	 */
	public JobArgs map(String key) {
		Map<?, ?> map = (raw(key) instanceof Map<?, ?> value) ? value : failed(key, "a map", Map.of());
		return new JobArgs(map, this.path + key + ".", this.latest);
	}

	/**
	 * Return whether there is an argument, even if it is {@code null}.
	 */
	public boolean has(String key) {
		return this.values.containsKey(key);
	}

	/**
	 * Return an argument unchanged.
	 * @return the value, {@code null} also when there is none
	 */
	public @Nullable Object raw(String key) {
		return this.values.get(key);
	}

	/**
	 * Return all arguments unchanged.
	 * @return the values by key, in their order
	 */
	public Map<String, @Nullable Object> asMap() {
		return this.values;
	}

	/**
	 * Return the latest error of any read.
	 * @return the error, which names the key, the wanted type and what was found
	 */
	public Optional<String> error() {
		return Optional.ofNullable(this.latest.text);
	}

	/**
	 * Throw the latest error, if there is one.
	 * @throws IllegalArgumentException if a read has failed
	 */
	public void check() {
		if (this.latest.text != null) {
			throw new IllegalArgumentException(this.latest.text);
		}
	}

	/**
	 * Describe the arguments without showing them, since they are payload.
	 */
	@Override
	public String toString() {
		return "JobArgs of " + this.values.size() + ((this.values.size() == 1) ? " entry" : " entries");
	}

	private static @Nullable BigDecimal exact(@Nullable Object value) {
		if (value instanceof BigDecimal decimal) {
			return decimal;
		}
		if (value instanceof Long || value instanceof Integer) {
			return BigDecimal.valueOf(((Number) value).longValue());
		}
		try {
			return (value instanceof Number) ? new BigDecimal(value.toString()) : null;
		}
		catch (NumberFormatException ex) {
			return null;
		}
	}

	private <T> T failed(String key, String wanted, T zero) {
		String found = has(key) ? "but found " + describe(raw(key)) : "but it is missing";
		this.latest.text = "Argument '" + shown(this.path + key) + "' should be " + wanted + ", " + found;
		return zero;
	}

	private static String describe(@Nullable Object value) {
		if (value == null) {
			return "null";
		}
		String type = value.getClass().getSimpleName();
		if (value instanceof CharSequence || value instanceof Number || value instanceof Boolean) {
			return type + " '" + shown(value.toString()) + "'";
		}
		if (value instanceof Map<?, ?> map) {
			return type + " of " + map.size() + " entries";
		}
		return (value instanceof Collection<?> items) ? type + " of " + items.size() + " elements" : type;
	}

	private static String shown(String text) {
		String cut = (text.length() > SHOWN_LENGTH) ? text.substring(0, SHOWN_LENGTH) + "..." : text;
		return cut.replaceAll("\\p{C}", "?");
	}

	/** The error that nested arguments share. */
	private static final class LatestError {

		private @Nullable String text;

	}

}
