package dev.jobs;

import java.util.Locale;

import org.jspecify.annotations.Nullable;

/**
 * How many jobs there are, counted up to a bound. <pre class="code">{@code
 * JobCount dead = operations.jobs(JobFilter.of((only) -> only.states(JobState.DEAD))).count(10_000);
 * String shown = dead + " dead jobs";
 * }</pre> A text such as "10,000+ dead jobs" says that there may be more.
 */
public final class JobCount {

	private final long number;

	private final boolean exact;

	private final long estimate;

	private JobCount(long number, boolean exact, long estimate) {
		this.number = number;
		this.exact = exact;
		this.estimate = estimate;
	}

	/**
	 * Create an exact count.
	 * @param number how many there are
	 */
	public static JobCount exactly(long number) {
		return new JobCount(number, true, number);
	}

	/**
	 * Create a count that ended before everything was counted.
	 * @param number how many there are at least
	 */
	public static JobCount atLeast(long number) {
		return atLeast(number, number);
	}

	/**
	 * Create a count that ended before everything was counted.
	 * @param number how many there are at least
	 * @param estimate about how many there are; ignored if it is not above the number
	 */
	public static JobCount atLeast(long number, long estimate) {
		return new JobCount(number, false, Math.max(number, estimate));
	}

	/**
	 * Return the number, which is a lower bound unless the count is {@linkplain #exact()
	 * exact}.
	 */
	public long number() {
		return this.number;
	}

	/**
	 * Return about how many there are, as far as the store knows without counting.
	 * @return an estimate, or the {@link #number()} without one
	 */
	public long estimate() {
		return this.estimate;
	}

	/**
	 * Return whether there are no more.
	 * @return {@code true} if all were counted
	 */
	public boolean exact() {
		return this.exact;
	}

	/**
	 * Two counts are equal if they counted the same; estimates do not matter.
	 */
	@Override
	public boolean equals(@Nullable Object other) {
		return other instanceof JobCount count && this.number == count.number && this.exact == count.exact;
	}

	@Override
	public int hashCode() {
		return Long.hashCode(this.number) * 31 + Boolean.hashCode(this.exact);
	}

	/**
	 * Return the number as it is shown, such as "42" or "10,000+".
	 */
	@Override
	public String toString() {
		return String.format(Locale.ROOT, "%,d", this.number) + (this.exact ? "" : "+");
	}

}
