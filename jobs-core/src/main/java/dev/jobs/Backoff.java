package dev.jobs;

import java.time.Duration;
import java.util.random.RandomGenerator;

/**
 * Decides how long a job waits after a failed attempt. <pre class="code">{@code
 * Backoff backoff = Backoff.exponential(Duration.ofSeconds(15), 2, Duration.ofHours(1)).jitter(0.2);
 * }</pre>
 */
@FunctionalInterface
public interface Backoff {

	/** The longest possible delay; longer ones are cut to it. */
	Duration LONGEST = Duration.ofDays(365);

	/**
	 * Return the delay before the next attempt.
	 * @param job the job as it was when the attempt began
	 * @param failures how many attempts have failed, this one included
	 * @param random the source of random numbers, different in every process
	 * @return the delay; less than zero is taken as zero
	 */
	Duration delay(Job job, int failures, RandomGenerator random);

	/**
	 * Wait {@code failures⁴ + 15} seconds, and up to {@code 29 * (failures + 1)} seconds
	 * more at random.
	 */
	static Backoff polynomial() {
		return (job, failures, random) -> {
			double millis = 1000 * (Math.pow(failures, 4) + 15) + random.nextLong(29_001) * (failures + 1d);
			return bounded(millis, LONGEST);
		};
	}

	/**
	 * Always wait the same time.
	 */
	static Backoff fixed(Duration delay) {
		return (job, failures, random) -> delay;
	}

	/**
	 * Wait longer with every failure.
	 * @param delay the first delay
	 * @param multiplier the factor from one delay to the next, at least 1
	 * @param longest the longest delay
	 */
	static Backoff exponential(Duration delay, double multiplier, Duration longest) {
		if (multiplier < 1) {
			throw new IllegalArgumentException("'multiplier' must be at least 1 but was " + multiplier);
		}
		return (job, failures, random) -> bounded(delay.toMillis() * Math.pow(multiplier, failures - 1d), longest);
	}

	/**
	 * Vary this rule's delays at random, so that jobs that failed together do not come
	 * back together.
	 * @param share the share of the delay, from 0 to 1, that is added or taken away at
	 * most
	 */
	default Backoff jitter(double share) {
		if (!(share >= 0 && share <= 1)) {
			throw new IllegalArgumentException("'jitter' must be from 0 to 1 but was " + share);
		}
		return (job, failures, random) -> {
			double millis = delay(job, failures, random).toMillis();
			return bounded(millis * (1 + share * (2 * random.nextDouble() - 1)), LONGEST);
		};
	}

	private static Duration bounded(double millis, Duration longest) {
		return Duration.ofMillis((long) Math.min(millis, longest.toMillis()));
	}

}
