package dev.jobs.store.jdbc.saved;

import java.util.HashSet;
import java.util.List;
import java.util.Set;

import dev.jobs.store.jdbc.sql.Statements;

/**
 * Removes the saved values of jobs that are gone or have ended without having said that
 * there were any. It looks at a few values at a time, one job after another, and then
 * begins again.
 */
public final class SavedSweep {

	private static final int AT_ONCE = 1000;

	/** A job with the same id may begin meanwhile, so new values stay. */
	private static final long NEW = 60_000;

	private volatile String after = "";

	public void run(Statements statements, long now) {
		List<String> found = statements.query("select job from {saved} where job > ? order by job limit ?",
				(row, n) -> row.getString(1), this.after, AT_ONCE);
		this.after = (found.size() < AT_ONCE) ? "" : found.get(AT_ONCE - 1);
		Set<String> left = new HashSet<>(found);
		if (!left.isEmpty()) {
			statements
				.query("select id from {job} where state <= {dead} and id in (??)", (row, n) -> row.getString(1), found)
				.forEach(left::remove);
		}
		if (!left.isEmpty()) {
			statements.update("delete from {saved} where saved_at < ? and job in (??)", now - NEW, left);
		}
	}

}
