package dev.jobs;

import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

/**
 * How the times travel by which a job must have started and ended: as headers, so that a
 * job without them stores nothing for them. In options a time may count from when the job
 * is due; the time of a job is fixed.
 */
final class Freshness {

	/** The name of the header with the time by which a job must have started. */
	static final String EXPIRES = "jobs.expires";

	/** The name of the header with the time by which a job must have ended. */
	static final String DEADLINE = "jobs.deadline";

	/** The name of the header with the end of a job that expires. */
	static final String ON_EXPIRY = "jobs.on-expiry";

	/**
	 * The name of the header with the end of the time in which no other job of the same
	 * key is enqueued, a semicolon, and the key.
	 */
	static final String THROTTLE = "jobs.throttle";

	private static final int LONGEST_KEY = 100;

	private static final Set<String> TIMES = Set.of(EXPIRES, DEADLINE);

	private static final String FROM_DUE = "+";

	private static final Pattern TIME = Pattern.compile("\\+?\\d{1,15}");

	private static final Pattern FIXED = Pattern.compile("\\d{1,15}");

	private static final long LONGEST = 999_999_999_999_999L;

	private Freshness() {
	}

	/**
	 * Return the value of a time that counts from when the job is due.
	 * @param duration the time; zero for no bound
	 */
	static String fromDue(String option, Duration duration) {
		Objects.requireNonNull(duration, () -> "'" + option + "' must not be null");
		if (duration.isNegative()) {
			throw new IllegalArgumentException("'%s' must not be negative but was %s".formatted(option, duration));
		}
		boolean endless = duration.compareTo(Duration.ofMillis(LONGEST)) > 0;
		return FROM_DUE + (endless ? LONGEST : duration.isZero() ? 0 : Math.max(duration.toMillis(), 1));
	}

	/**
	 * Return the value of a throttle whose window counts from the enqueue.
	 */
	static String throttle(String key, Duration window) {
		if (Objects.requireNonNull(window, "'window' must not be null").isNegative() || window.isZero()) {
			throw new IllegalArgumentException("'throttle' needs a positive 'window', but it was " + window);
		}
		if (key.isEmpty() || key.length() > LONGEST_KEY) {
			throw new IllegalArgumentException(
					"'throttle' needs a key of 1 to %d characters, but it had %d".formatted(LONGEST_KEY, key.length()));
		}
		return fromDue("throttle", window) + ';' + key;
	}

	static String at(Instant instant) {
		return Long.toString(Math.min(Math.max(instant.toEpochMilli(), 0), LONGEST));
	}

	/**
	 * Require that a header, if it is one of these, can be read.
	 */
	static void requireValid(String name, String value) {
		if (TIMES.contains(name) && !TIME.matcher(value).matches()) {
			throw new IllegalArgumentException(
					"The header '" + name + "' must be a time in milliseconds since 1970, or a plus and "
							+ "milliseconds from when the job is due, but was '" + value + "'");
		}
	}

	/**
	 * Return the fixed time in a header.
	 * @return the time, or {@code null} if there is none
	 */
	static @Nullable Instant in(Map<String, String> headers, String name) {
		String value = headers.isEmpty() ? null : headers.get(name);
		return (value != null && FIXED.matcher(value).matches()) ? Instant.ofEpochMilli(Long.parseLong(value)) : null;
	}

	/**
	 * Return the time in a header that counts from when the job is due.
	 * @return the time, or {@code null} if there is none
	 */
	private static @Nullable Duration fromDue(Map<String, String> headers, String name) {
		String value = headers.get(name);
		return (value != null && value.startsWith(FROM_DUE)) ? Duration.ofMillis(Long.parseLong(value.substring(1)))
				: null;
	}

	static OnExpiry onExpiry(Map<String, String> headers) {
		return OnExpiry.DEAD.name().equals(headers.get(ON_EXPIRY)) ? OnExpiry.DEAD : OnExpiry.DISCARD;
	}

	/**
	 * Return the headers with fixed times.
	 * @throws IllegalArgumentException if the job would be due after its deadline
	 */
	static Map<String, String> fixed(Map<String, String> headers, Instant now, Instant dueAt) {
		String throttle = headers.get(THROTTLE);
		if (throttle == null && !headers.containsKey(EXPIRES) && !headers.containsKey(DEADLINE)) {
			return headers;
		}
		Map<String, String> fixed = new TreeMap<>(headers);
		if (throttle != null && throttle.startsWith(FROM_DUE)) {
			int end = throttle.indexOf(';');
			fixed.put(THROTTLE,
					at(now.plusMillis(Long.parseLong(throttle.substring(1, end)))) + throttle.substring(end));
		}
		for (String name : TIMES) {
			Duration duration = fromDue(headers, name);
			if (duration != null && duration.isZero()) {
				fixed.remove(name);
			}
			else if (duration != null) {
				fixed.put(name, at(dueAt.plus(duration)));
			}
		}
		Instant deadline = in(fixed, DEADLINE);
		if (deadline != null && !deadline.isAfter(dueAt)) {
			throw new IllegalArgumentException(
					"'deadline' is %s, but the job is not due before %s".formatted(deadline, dueAt));
		}
		return Map.copyOf(fixed);
	}

}
