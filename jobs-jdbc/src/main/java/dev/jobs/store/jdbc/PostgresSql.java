package dev.jobs.store.jdbc;

import java.util.Locale;

/**
 * The long statements, each in a file of its name. In a file a name in two pairs of
 * braces stands for a fragment, which is another file or one of the few texts that code
 * shares with the files.
 */
enum PostgresSql {

	BEAT_IDLE, COUNT_QUEUES, DELETE_HELD, DELIVERY_TOKENS, FIRST_PLACE, FIRST_PLACES_BELOW_MARKS, HOLD, INSERT_JOBS,
	INSERT_JOBS_AND_QUEUES, LAST_TOKEN, LOOK_AND_HOLD, LOOK_AT_QUEUES, OPEN_QUEUES_WITH_JOBS, QUEUE_NAMES,
	QUEUES_WITH_READY_JOBS, TAGGED_JOBS, WRITERS_UNDER_WAY;

	private final String text = PostgresFragments.in(name().toLowerCase(Locale.ROOT).replace('_', '-'));

	/**
	 * Return the statement, with the names of tables in braces.
	 */
	String text() {
		return this.text;
	}

}
