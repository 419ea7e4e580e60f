package dev.jobs.store.jdbc.row;

import java.sql.ResultSet;
import java.sql.SQLException;

import dev.jobs.store.view.LaneSettingsView.Rule;
import dev.jobs.store.view.LaneSettingsView;
import dev.jobs.store.view.SettingsView;
import dev.jobs.store.view.SettingsView.Value;
import org.jspecify.annotations.Nullable;

/**
 * The columns of operators' settings for a queue.
 */
public final class SettingsColumns {

	/** The columns in the order in which they are read. */
	public static final String ALL = "version, paused, paused_at, paused_by, max_running, limited_at, limited_by";

	/** The columns of the settings for a lane in the order in which they are read. */
	public static final String OF_LANE = "paused_at, paused_by, max_running, limited_at, limited_by";

	private SettingsColumns() {
	}

	/**
	 * Read the settings of a lane.
	 * @param from the first of their columns
	 */
	public static LaneSettingsView readLane(ResultSet row, int from) throws SQLException {
		return LaneSettingsView.NONE.with(Rule.PAUSED, value(row, 1, from))
			.with(Rule.LIMIT, value(row, row.getInt(from + 2), from + 3));
	}

	private static @Nullable Value<Integer> value(ResultSet row, int value, int at) throws SQLException {
		long millis = row.getLong(at);
		return row.wasNull() ? null : new Value<>(value, EpochMillis.instant(millis), row.getString(at + 1));
	}

	/**
	 * Return the values of a queue, a lane and its settings.
	 */
	public static @Nullable Object[] ofLane(String queue, String lane, LaneSettingsView settings) {
		Value<Boolean> paused = settings.paused();
		Value<Integer> limit = settings.limit();
		return new @Nullable Object[] { queue, lane, (paused != null) ? EpochMillis.of(paused.at()) : null,
				(paused != null) ? paused.by() : null, (limit != null) ? limit.value() : null,
				(limit != null) ? EpochMillis.of(limit.at()) : null, (limit != null) ? limit.by() : null };
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
