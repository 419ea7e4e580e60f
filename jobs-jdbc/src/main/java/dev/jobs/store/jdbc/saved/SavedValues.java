package dev.jobs.store.jdbc.saved;

import java.util.Collection;

import dev.jobs.store.jdbc.row.StoredJob;
import dev.jobs.store.jdbc.sql.Statements;

/**
 * Removes what jobs have saved, after their rows were locked or deleted.
 *
 * @param statements runs statements
 */
public record SavedValues(Statements statements) {

	public void forget(Collection<String> jobs) {
		if (!jobs.isEmpty()) {
			this.statements.update("delete from {saved} where job in (??)", jobs);
		}
	}

	/**
	 * Remove one value.
	 * @return whether there was one by this name
	 */
	public boolean forget(String job, String name) {
		return StoredJob.isId(name)
				&& this.statements.update("delete from {saved} where job = ? and name = ?", job, name) > 0;
	}

}
