package dev.jobs.store.jdbc;

import java.sql.ResultSet;
import java.sql.SQLException;

/**
 * What of a row tells where its job is in a list, and mostly whether a filter selects it.
 *
 * @param id its id
 * @param queue its queue
 * @param place its place among the ready jobs of its queue
 * @param state its {@link StateColumn}
 * @param dueAt when it is due
 * @param since when it entered its state
 * @param attempt the number of its attempt
 */
record Candidate(String id, String queue, long place, int state, long dueAt, long since, int attempt) {

	static final String COLUMNS = "j.id, j.queue, j.place, j.state, j.due_at, j.since, j.attempt";

	static Candidate read(ResultSet row, int number) throws SQLException {
		return new Candidate(row.getString(1), row.getString(2), row.getLong(3), row.getInt(4), row.getLong(5),
				row.getLong(6), row.getInt(7));
	}

	/**
	 * Return when it entered its state or, if it waits, when it is due.
	 */
	long time() {
		return (this.state == StateColumn.SCHEDULED) ? this.dueAt : this.since;
	}

	boolean isInLine() {
		return this.state == StateColumn.READY;
	}

}
