package dev.jobs.cron;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * The rule for ticks that passed while no process could fire them.
 *
 * @param rule what becomes of late ticks
 * @param atMost how many late ticks are made up for at once
 */
public record Misfire(Rule rule, int atMost) {

	private static final int LIMIT = 1_000;

	private static final String RUN_ALL_PREFIX = "run-all:";

	public Misfire {
		boolean fits = switch (rule) {
			case SKIP -> atMost == 0;
			case RUN_ONCE -> atMost == 1;
			case RUN_ALL -> atMost >= 1 && atMost <= LIMIT;
		};
		if (!fits) {
			throw new IllegalArgumentException("'atMost' must be from 1 to " + LIMIT + " for run-all, 1 for run-once "
					+ "and 0 for skip, but was " + atMost);
		}
	}

	/**
	 * Forget late ticks.
	 */
	public static Misfire skip() {
		return new Misfire(Rule.SKIP, 0);
	}

	/**
	 * Make up for all late ticks with one run: the run of a tick that is on time or,
	 * without one, the run of the newest late tick.
	 */
	public static Misfire runOnce() {
		return new Misfire(Rule.RUN_ONCE, 1);
	}

	/**
	 * Fire the newest late ticks.
	 * @param atMost how many, from 1 to 1000
	 */
	public static Misfire runAll(int atMost) {
		return new Misfire(Rule.RUN_ALL, atMost);
	}

	/**
	 * Parse {@code skip}, {@code run-once} or {@code run-all:10}.
	 * @throws IllegalArgumentException if the text is none of these
	 */
	public static Misfire parse(String text) {
		String rule = text.strip().toLowerCase(Locale.ROOT);
		if (rule.equals("skip")) {
			return skip();
		}
		if (rule.equals("run-once")) {
			return runOnce();
		}
		if (rule.matches(RUN_ALL_PREFIX + "[1-9]\\d{0,3}") && number(rule) <= LIMIT) {
			return runAll(number(rule));
		}
		throw new IllegalArgumentException("Invalid misfire rule \"" + text.substring(0, Math.min(80, text.length()))
				+ "\". Accepted are skip, run-once and run-all:<number> with a number from 1 to " + LIMIT
				+ ", such as run-all:10");
	}

	private static int number(String rule) {
		return Integer.parseInt(rule.substring(RUN_ALL_PREFIX.length()));
	}

	/**
	 * Choose the ticks to fire now. A tick no older than the grace is on time and always
	 * chosen (only the newest 1000 of more); an older tick is late, and this rule
	 * decides.
	 * @param schedule the schedule
	 * @param lastFired the last tick that has been dealt with
	 * @param now the current time
	 * @param grace the age up to which a tick is on time
	 * @return the ticks, oldest first
	 */
	public List<Instant> toFire(Schedule schedule, Instant lastFired, Instant now, Duration grace) {
		if (grace.isNegative()) {
			throw new IllegalArgumentException("'grace' must not be negative but was " + grace);
		}
		boolean someLate = grace.compareTo(Duration.between(lastFired, now)) < 0;
		Instant lateUpTo = someLate ? now.minus(grace).minusNanos(1) : lastFired;
		List<Instant> onTime = schedule.between(lateUpTo, now, LIMIT);
		boolean madeUp = this.rule == Rule.RUN_ONCE && !onTime.isEmpty();
		List<Instant> ticks = new ArrayList<>(schedule.between(lastFired, lateUpTo, madeUp ? 0 : this.atMost));
		ticks.addAll(onTime);
		return List.copyOf(ticks);
	}

	/**
	 * Return the text that {@link #parse(String)} reads as this rule.
	 */
	@Override
	public String toString() {
		return switch (this.rule) {
			case SKIP -> "skip";
			case RUN_ONCE -> "run-once";
			case RUN_ALL -> RUN_ALL_PREFIX + this.atMost;
		};
	}

	/**
	 * The treatment of late ticks. More may be added, so a {@code switch} needs a
	 * {@code default}.
	 */
	public enum Rule {

		/** They are not fired. */
		SKIP,

		/** One run makes up for all. */
		RUN_ONCE,

		/** The newest ones are fired, each. */
		RUN_ALL

	}

}
