package dev.jobs.store.jdbc.plain;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;

import dev.jobs.store.jdbc.row.EpochMillis;
import dev.jobs.store.jdbc.row.SettingsColumns;
import dev.jobs.store.jdbc.row.StateColumn;
import dev.jobs.store.jdbc.sql.Statements;
import dev.jobs.store.jdbc.worker.Workers;
import dev.jobs.store.view.QueueView;
import dev.jobs.store.view.SettingsView;
import org.jspecify.annotations.Nullable;

/**
 * Counts the jobs of queues one by one.
 */
final class PlainQueues {

	private PlainQueues() {
	}

	/**
	 * Count the jobs of a queue, or of all.
	 */
	static List<QueueView> of(Statements statements, @Nullable String name, long now) {
		Map<String, Counts> counts = new TreeMap<>();
		statements.query("select name, " + SettingsColumns.ALL + " from {queue}" + where("name", name), (row, n) -> {
			Counts queue = counts.computeIfAbsent(row.getString(1), (added) -> new Counts());
			queue.settings = SettingsColumns.read(row, 2);
			return queue;
		}, only(name));
		statements.query("""
				select queue, state, is_due, is_again, count(*), min(due_at) from (
					select queue, state, due_at, case when due_at <= ? then 1 else 0 end as is_due,
						case when attempt > 1 then 1 else 0 end as is_again
					from {job}%s) seen
				group by queue, state, is_due, is_again""".formatted(where("queue", name)), (row, n) -> {
			Counts queue = counts.computeIfAbsent(row.getString(1), (added) -> new Counts());
			queue.add(row.getInt(2), row.getInt(3) == 1, row.getInt(4) == 1, row.getLong(5), row.getLong(6));
			return queue;
		}, Stream.concat(Stream.of(now), Stream.of(only(name))).toArray());
		Set<String> served = new Workers(statements, now).served();
		return counts.entrySet()
			.stream()
			.map((entry) -> entry.getValue().view(entry.getKey(), served.contains(entry.getKey())))
			.toList();
	}

	private static String where(String column, @Nullable String name) {
		return (name != null) ? " where " + column + " = ?" : "";
	}

	private static Object[] only(@Nullable String name) {
		return (name != null) ? new Object[] { name } : new Object[0];
	}

	/** The counts of a queue. */
	private static final class Counts {

		private SettingsView settings = SettingsView.NONE;

		private long ready;

		private long scheduled;

		private long retrying;

		private long parked;

		private long running;

		private long dead;

		private long history;

		private long oldestReady = Long.MAX_VALUE;

		void add(int state, boolean due, boolean again, long count, long firstDue) {
			switch (state) {
				case StateColumn.WAITING, StateColumn.SCHEDULED, StateColumn.READY, StateColumn.LANED ->
					addWaiting(state, due, again, count, firstDue);
				case StateColumn.RUNNING -> this.running += count;
				case StateColumn.DEAD -> this.dead += count;
				default -> this.history += count;
			}
		}

		private void addWaiting(int state, boolean due, boolean again, long count, long firstDue) {
			if (due || state == StateColumn.READY || state == StateColumn.LANED) {
				this.ready += count;
				this.oldestReady = Math.min(this.oldestReady, firstDue);
			}
			else if (state == StateColumn.WAITING) {
				this.parked += count;
			}
			else {
				this.scheduled += count;
				this.retrying += again ? count : 0;
			}
		}

		QueueView view(String name, boolean served) {
			Instant oldest = (this.ready > 0) ? EpochMillis.instant(this.oldestReady) : null;
			return QueueView.of(name, served)
				.withJobs(this.ready, this.scheduled, this.retrying, this.running, this.dead, this.history)
				.withParked(this.parked)
				.withOldestReady(oldest)
				.with(this.settings);
		}

	}

}
