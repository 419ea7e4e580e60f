package dev.jobs.store.jdbc.row;

import java.sql.ResultSet;
import java.sql.SQLException;

import dev.jobs.store.view.SettingsView;

/**
 * The columns of operators' settings for a queue.
 */
public final class SettingsColumns {

	/** The columns in the order in which they are read. */
	public static final String ALL = "version, paused, paused_at, paused_by, max_running, limited_at, limited_by";

	private SettingsColumns() {
	}

	/**
	 * Read the settings of a queue.
	 * @param from the first of their columns
	 */
	public static SettingsView read(ResultSet row, int from) throws SQLException {
		boolean paused = row.getInt(from + 1) == 1;
		return SettingsView.of(row.getLong(from), paused ? EpochMillis.instant(row.getLong(from + 2)) : null,
				row.getString(from + 3), row.getInt(from + 4), EpochMillis.instant(row.getLong(from + 5)),
				row.getString(from + 6));
	}

}
