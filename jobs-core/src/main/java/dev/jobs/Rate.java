package dev.jobs;

import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

/**
 * How many jobs may start in any window of some length, on all workers together.
 * <pre class="code">{@code
 * Rate rate = Rate.of(100, Duration.ofMinutes(1)).burst(10);
 * Rate same = Rate.parse("100/1m burst 10");
 * }</pre>
 */
public final class Rate extends Parts {

	private static final int MOST = 1_000_000;

	private static final Duration LONGEST = Duration.ofDays(31);

	private static final List<String> UNITS = List.of("d", "h", "m", "s");

	private static final Pattern TEXT = Pattern
		.compile("\\s*(\\d{1,9})\\s*/\\s*(\\d{0,9})\\s*(ms|s|m|h|d)(?:\\s+burst\\s+(\\d{1,9}))?\\s*");

	private final int starts;

	private final Duration window;

	private final int burst;

	private Rate(int starts, Duration window, int burst) {
		super("Rate[starts=%s, window=%s, burst=%s]");
		if (starts < 1 || starts > MOST) {
			throw new IllegalArgumentException("A rate has from 1 to %d starts, not %d".formatted(MOST, starts));
		}
		if (window.compareTo(Duration.ofMillis(1)) < 0 || window.compareTo(LONGEST) > 0) {
			throw new IllegalArgumentException(
					"The window of a rate is from 1 ms to " + LONGEST.toDays() + " days, not " + window);
		}
		if (burst < 1 || burst > starts) {
			throw new IllegalArgumentException(
					"The burst of a rate is from 1 to its starts, %d, not %d".formatted(starts, burst));
		}
		this.starts = starts;
		this.window = window.plusNanos(999_999).truncatedTo(ChronoUnit.MILLIS);
		this.burst = burst;
	}

	/**
	 * Return a rate by which all starts of a window may be at once.
	 * @param starts how many jobs may start in any window, from 1 to 1000000
	 * @param window how long a window is, from a millisecond to 31 days; parts of a
	 * millisecond are rounded up
	 * @return the rate
	 * @throws IllegalArgumentException if a value is not in its range
	 */
	public static Rate of(int starts, Duration window) {
		return new Rate(starts, Objects.requireNonNull(window, "A rate needs a window"), Math.max(starts, 1));
	}

	/**
	 * Return a rate that spreads its starts: no more than the burst start in that part of
	 * a window which belongs to as many starts.
	 * @param burst how many may start at once, at most as many as in a window
	 * @return the changed rate
	 * @throws IllegalArgumentException if there are not that many starts
	 */
	public Rate burst(int burst) {
		return new Rate(this.starts, this.window, burst);
	}

	/**
	 * Read a rate such as {@code 100/1m}, {@code 10/s} or {@code 100/1m burst 10}.
	 * @param text starts, a slash and the window with its unit: ms, s, m, h or d
	 * @return the rate
	 * @throws IllegalArgumentException if the text is no rate
	 */
	public static Rate parse(String text) {
		Matcher parts = TEXT.matcher(text);
		if (!parts.matches()) {
			throw new IllegalArgumentException(
					"'" + text + "' is no rate such as 100/1m, 10/s or 100/1m burst 10; units are ms, s, m, h and d");
		}
		Rate rate = of(Integer.parseInt(parts.group(1)), window(parts.group(2), parts.group(3)));
		return (parts.group(4) != null) ? rate.burst(Integer.parseInt(parts.group(4))) : rate;
	}

	private static Duration window(String number, String unit) {
		long count = number.isEmpty() ? 1 : Long.parseLong(number);
		return switch (unit) {
			case "ms" -> Duration.ofMillis(count);
			case "s" -> Duration.ofSeconds(count);
			case "m" -> Duration.ofMinutes(count);
			case "h" -> Duration.ofHours(count);
			default -> Duration.ofDays(count);
		};
	}

	/**
	 * Return how many jobs may start in any window.
	 */
	public int getStarts() {
		return this.starts;
	}

	/**
	 * Return how long a window is.
	 */
	public Duration getWindow() {
		return this.window;
	}

	/**
	 * Return how many jobs may start at once.
	 */
	public int getBurst() {
		return this.burst;
	}

	/**
	 * Return the text that {@link #parse(String)} reads as this rate.
	 */
	public String toText() {
		long millis = this.window.toMillis();
		String unit = UNITS.stream()
			.filter((each) -> millis % window("1", each).toMillis() == 0)
			.findFirst()
			.orElse("ms");
		return this.starts + "/" + (millis / window("1", unit).toMillis()) + unit
				+ ((this.burst < this.starts) ? " burst " + this.burst : "");
	}

	@Override
	List<@Nullable Object> parts() {
		return List.of(this.starts, this.window, this.burst);
	}

}
