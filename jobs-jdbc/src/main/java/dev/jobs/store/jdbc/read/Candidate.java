package dev.jobs.store.jdbc.read;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;

import dev.jobs.store.jdbc.row.StateColumn;
import dev.jobs.store.jdbc.sql.Statements;
import org.jspecify.annotations.Nullable;

/**
 * The part of a job's row that decides its position in a list, and mostly whether a
 * filter selects it.
 *
 * @param id its id
 * @param queue its queue
 * @param place its place among the ready jobs of its queue
 * @param state its {@link StateColumn}
 * @param dueAt when it is due
 * @param since when it entered its state
 * @param attempt the number of its attempt
 */
public record Candidate(String id, String queue, long place, int state, long dueAt, long since, int attempt) {

	public static final String COLUMNS = "j.id, j.queue, j.place, j.state, j.due_at, j.since, j.attempt";

	public static Candidate read(ResultSet row, int number) throws SQLException {
		return new Candidate(row.getString(1), row.getString(2), row.getLong(3), row.getInt(4), row.getLong(5),
				row.getLong(6), row.getInt(7));
	}

	/**
	 * Read all jobs in the order of their ids.
	 * @param after the id after which to begin, or {@code null} for the first
	 */
	public static List<Candidate> byId(Statements statements, @Nullable String after, boolean newestFirst, int many) {
		String behind = (after == null) ? "" : " where j.id " + (newestFirst ? "< ?" : "> ?");
		String sql = "select " + COLUMNS + " from {job} j" + behind + " order by j.id" + (newestFirst ? " desc" : "")
				+ " limit ?";
		return (after == null) ? statements.query(sql, Candidate::read, many)
				: statements.query(sql, Candidate::read, after, many);
	}

	/**
	 * Return when it entered its state or, if it waits, when it is due.
	 */
	long time() {
		return StateColumn.isWaiting(this.state) ? this.dueAt : this.since;
	}

	/**
	 * Return whether it is listed by its queue and place, and not by its time.
	 */
	boolean isReady() {
		return this.state == StateColumn.READY;
	}

}
