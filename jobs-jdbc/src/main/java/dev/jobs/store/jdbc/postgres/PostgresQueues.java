package dev.jobs.store.jdbc.postgres;

import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Predicate;

import dev.jobs.store.jdbc.postgres.mark.LiveDeliveries;
import dev.jobs.store.jdbc.postgres.mark.LowWaterMarks;
import dev.jobs.store.jdbc.postgres.statement.PostgresSql;
import dev.jobs.store.jdbc.row.EpochMillis;
import dev.jobs.store.jdbc.row.SettingsColumns;
import dev.jobs.store.jdbc.sql.Statements;
import dev.jobs.store.view.QueueView;
import dev.jobs.store.view.SettingsView;
import dev.jobs.store.view.WorkerInfo;
import dev.jobs.store.view.WorkerJson;
import org.jspecify.annotations.Nullable;

/**
 * Counts the jobs of queues in PostgreSQL, each state of each queue up to a bound.
 */
record PostgresQueues(LowWaterMarks marks, LiveDeliveries deliveries) {

	/** How many kinds of jobs are counted. */
	private static final int KINDS = 9;

	private static final String WORKERS = "; select w.info from {worker} w where w.lease_until >= ? and w.info is not null";

	/** Of so many queues, each state is counted up to the highest bound. */
	private static final int FEW = 15;

	/** Only the short rows of queues are joined. */
	private static final String PLANS = PostgresSql.PLANS.replace("'enable_hashjoin', 'off'",
			"'enable_hashjoin', 'on'");

	/**
	 * Count the jobs of a queue, or of all. If few of these reach the bound, count those
	 * again up to the highest one.
	 */
	List<QueueView> views(Statements statements, @Nullable String name, long now) {
		List<QueueView> views = count(statements, (name != null) ? List.of(name) : null, now);
		Predicate<QueueView> isLarge = (view) -> !view.atLeast().isEmpty();
		List<String> large = views.stream().filter(isLarge).map(QueueView::name).toList();
		if (views.size() > FEW && !large.isEmpty() && large.size() <= FEW) {
			views.removeIf(isLarge);
			views.addAll(count(statements, large, now));
			views.sort(Comparator.comparing(QueueView::name));
		}
		return views;
	}

	private List<QueueView> count(Statements statements, @Nullable List<String> names, long now) {
		String plans = statements.isAlone() ? PLANS : "";
		return Objects.requireNonNull(statements.jdbc().execute((connection) -> {
			PreparedStatement prepared = connection
				.prepareStatement(statements.text(plans + PostgresSql.COUNT_QUEUES.text() + WORKERS));
			prepared.setArray(1, (names != null) ? connection.createArrayOf("text", names.toArray()) : null);
			prepared.setLong(2, now);
			Map<String, Long> low = this.marks.all();
			prepared.setArray(3, connection.createArrayOf("text", low.keySet().toArray()));
			prepared.setArray(4, connection.createArrayOf("bigint", low.values().toArray()));
			LiveDeliveries.Known live = this.deliveries.known();
			prepared.setLong(5, live.mark());
			prepared.setArray(6, connection.createArrayOf("bigint", live.kept().toArray()));
			prepared.setLong(7, now);
			return prepared;
		}, (PreparedStatement prepared) -> {
			prepared.execute();
			if (!plans.isEmpty()) {
				prepared.getMoreResults();
			}
			List<Counted> counted = rows(prepared, Counted::read);
			prepared.getMoreResults();
			Set<String> served = new HashSet<>();
			rows(prepared, (row) -> row.getString(1)).forEach((text) -> addServed(WorkerJson.info(text), served));
			return new ArrayList<>(counted.stream().map((queue) -> queue.view(served)).toList());
		}));
	}

	private static void addServed(@Nullable WorkerInfo info, Set<String> served) {
		if (info != null) {
			info.pools().forEach((pool) -> served.addAll(pool.queues()));
		}
	}

	private static <T> List<T> rows(PreparedStatement prepared, RowReader<T> reader) throws SQLException {
		List<T> rows = new ArrayList<>();
		try (ResultSet result = prepared.getResultSet()) {
			while (result.next()) {
				rows.add(reader.read(result));
			}
		}
		return rows;
	}

	@FunctionalInterface
	private interface RowReader<T> {

		T read(ResultSet row) throws SQLException;

	}

	/**
	 * The counts of a queue.
	 *
	 * @param name its name
	 * @param settings what operators have set
	 * @param most up to how many of each kind were counted
	 * @param counts how many of each kind
	 * @param oldest when the oldest ready job was due, or {@code null}
	 */
	private record Counted(String name, SettingsView settings, long most, long[] counts, @Nullable Instant oldest) {

		static Counted read(ResultSet row) throws SQLException {
			long[] counts = new long[KINDS];
			for (int i = 0; i < counts.length; i++) {
				counts[i] = row.getLong(6 + i);
			}
			long oldest = Long.MAX_VALUE;
			for (int column = 3; column <= 5; column++) {
				long due = row.getLong(column);
				oldest = row.wasNull() ? oldest : Math.min(oldest, due);
			}
			return new Counted(row.getString(1), SettingsColumns.read(row, 6 + KINDS), row.getLong(2), counts,
					(oldest < Long.MAX_VALUE) ? EpochMillis.instant(oldest) : null);
		}

		QueueView view(Set<String> served) {
			long ready = Math.min(this.counts[0] + this.counts[1] + this.counts[7], this.most);
			boolean exact = ready < this.most && Arrays.stream(this.counts).allMatch((count) -> count < this.most);
			QueueView view = QueueView.of(this.name, served.contains(this.name))
				.withJobs(ready, this.counts[2], this.counts[3], this.counts[4], this.counts[5], this.counts[6])
				.withParked(this.counts[8])
				.withOldestReady(this.oldest)
				.with(this.settings);
			return exact ? view : view.countedUpTo(this.most);
		}

	}

}
