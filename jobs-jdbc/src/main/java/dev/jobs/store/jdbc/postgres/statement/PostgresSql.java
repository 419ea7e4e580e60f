package dev.jobs.store.jdbc.postgres.statement;

import java.util.Locale;

/**
 * The long statements, each in a file of its name. In a file a name in double braces
 * stands for a fragment: another file, or one of the few texts that code shares with the
 * files.
 */
public enum PostgresSql {

	BEAT_IDLE, COUNT_QUEUES, DELETE_HELD, DELETE_HELD_AND_KEEP_ENDS, DELIVERY_TOKENS, FIRST_PLACE,
	FIRST_PLACES_BELOW_MARKS, HOLD, HOLD_LANES, INSERT_JOBS, INSERT_JOBS_AND_QUEUES, KEEP_ENDS, LAST_TOKEN,
	LOOK_AND_HOLD, LOOK_AT_QUEUES, OPEN_QUEUES_WITH_JOBS, QUEUE_NAMES, QUEUES_WITH_READY_JOBS, SAVE, TAGGED_JOBS,
	WRITERS_UNDER_WAY;

	/**
	 * The tables grow and shrink faster than their statistics are updated, so plans must
	 * not depend on these: every statement here is meant to use an index. The settings
	 * come in the same text as the statement and apply to it alone, unless it is part of
	 * a transaction.
	 */
	public static final String PLANS = "select set_config('enable_seqscan', 'off', true), "
			+ "set_config('enable_bitmapscan', 'off', true), set_config('enable_hashjoin', 'off', true), "
			+ "set_config('enable_mergejoin', 'off', true), set_config('enable_sort', 'off', true), "
			+ "set_config('jit', 'off', true), set_config('plan_cache_mode', 'force_generic_plan', true); ";

	private final String text = PostgresFragments.in(name().toLowerCase(Locale.ROOT).replace('_', '-'));

	private final String byIndex = PLANS + this.text;

	/**
	 * Return the statement, with the names of tables in braces.
	 */
	public String text() {
		return this.text;
	}

	/**
	 * Return the statement after the settings for its plan.
	 */
	String byIndex() {
		return this.byIndex;
	}

}
