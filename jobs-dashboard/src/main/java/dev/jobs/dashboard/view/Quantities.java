package dev.jobs.dashboard.view;

import java.time.Duration;

import dev.jobs.JobCount;

/**
 * Numbers and spans of time in words.
 */
public final class Quantities {

	private Quantities() {
	}

	/**
	 * Return a span of time in its largest unit.
	 */
	static String span(Duration span) {
		long seconds = span.toSeconds();
		if (seconds < 60) {
			return plural(seconds, "second");
		}
		if (seconds < 7200) {
			return plural(seconds / 60, "minute");
		}
		return (seconds < 172_800) ? plural(seconds / 3600, "hour") : plural(seconds / 86_400, "day");
	}

	/**
	 * Return a span of time, however long it is.
	 * @param span the span
	 * @return the seconds
	 */
	public static double seconds(Duration span) {
		return span.getSeconds() + span.getNano() / 1e9;
	}

	/**
	 * Return a number of things.
	 * @param count how many there are
	 * @param unit the name of one
	 * @return the number and the noun
	 */
	public static String plural(long count, String unit) {
		return grouped(count) + " " + unit + ((count == 1) ? "" : "s");
	}

	/**
	 * Return how many jobs there are, with as many digits as are known.
	 * @param count how many there are
	 * @param unit the name of one
	 * @return the number and the noun
	 */
	static String of(JobCount count, String unit) {
		boolean estimated = count.estimate() > count.number();
		return (estimated ? "about " : count.exact() ? "" : "at least ")
				+ plural(count.exact() ? count.number() : rounded(count.estimate(), estimated), unit);
	}

	/**
	 * Return a number with only its first two digits, the others being unknown.
	 */
	private static long rounded(long count, boolean half) {
		long unknown = 1;
		while (count / unknown >= 100) {
			unknown *= 10;
		}
		return (count + (half ? unknown / 2 : 0)) / unknown * unknown;
	}

	/**
	 * Return a number with commas. A formatter would take longer than everything else
	 * about a queue.
	 */
	private static String grouped(long count) {
		return (count < 1000) ? Long.toString(count)
				: grouped(count / 1000) + "," + Long.toString(1000 + count % 1000).substring(1);
	}

}
