package dev.jobs.store.redis;

import java.time.Duration;

/**
 * The copies that an enqueue waits for before it returns.
 *
 * @param replicas how many replicas must have the job; 0 to wait for none
 * @param timeout how long to wait for them
 */
public record RedisDurability(int replicas, Duration timeout) {

	private static final RedisDurability DEFAULT = new RedisDurability(0, Duration.ZERO);

	public RedisDurability {
		if (replicas < 0) {
			throw new IllegalArgumentException("'replicas' must not be negative but was " + replicas);
		}
		if (replicas > 0 && (timeout.isNegative() || timeout.toMillis() == 0)) {
			// WAIT takes 0 milliseconds for ever
			throw new IllegalArgumentException("'timeout' must be at least a millisecond but was " + timeout);
		}
	}

	/**
	 * Wait for the server alone, which keeps jobs as its persistence is configured.
	 * @return the durability
	 */
	public static RedisDurability ofServer() {
		return DEFAULT;
	}

	/**
	 * Wait for replicas too.
	 * @param replicas how many must have the job
	 * @param timeout how long to wait for them
	 * @return the durability
	 */
	public static RedisDurability replicated(int replicas, Duration timeout) {
		return new RedisDurability(replicas, timeout);
	}

	/**
	 * Return whether replicas are waited for.
	 * @return {@code true} if at least one is
	 */
	public boolean isReplicated() {
		return this.replicas > 0;
	}

}
