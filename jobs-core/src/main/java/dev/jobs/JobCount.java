package dev.jobs;

import java.util.Locale;

/**
 * How many jobs there are, counted up to a bound.
 *
 * @param number the number, or how many there are at least
 * @param exact whether there are no more
 */
public record JobCount(long number, boolean exact) {

	/**
	 * Create a count of what was counted up to a bound.
	 * @param number how many there are
	 * @param bound from which number on there may be more
	 * @return the count
	 */
	public static JobCount upTo(long number, long bound) {
		return (number <= bound) ? new JobCount(number, true) : new JobCount(bound, false);
	}

	/**
	 * Return the number as people read it, such as "42" or "10,000+".
	 */
	@Override
	public String toString() {
		return String.format(Locale.ROOT, "%,d", this.number) + (this.exact ? "" : "+");
	}

}
