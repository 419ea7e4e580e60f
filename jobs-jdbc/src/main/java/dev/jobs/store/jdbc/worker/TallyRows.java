package dev.jobs.store.jdbc.worker;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import dev.jobs.store.jdbc.row.EpochMillis;
import dev.jobs.store.jdbc.sql.Dialect;
import dev.jobs.store.jdbc.sql.Statements;
import dev.jobs.store.view.JobInspector.Period;
import dev.jobs.store.view.Tally;
import dev.jobs.store.view.Tally.Span;
import org.jspecify.annotations.Nullable;

/**
 * The statistics of queues: a row for each queue and span of time.
 */
public record TallyRows(Statements statements, Dialect dialect) {

	private static final String COLUMNS = "id, queue, span, start_at, " + columns((column) -> column);

	private static final String FROM = " from {tally} where span = ? and start_at >= ? and start_at < ?";

	/** Steps of one span need no sums. */
	private static final String SPANS = "select queue, start_at, " + columns((column) -> column) + FROM;

	private static final String STEPS = "select queue, start_at - mod(start_at, ?) as step_at, ";

	/** No real count is higher, and so many can be added up without overflow. */
	private static final long MOST = 1L << 40;

	private static String columns(UnaryOperator<String> text) {
		return IntStream.range(0, Tally.CELLS).mapToObj((i) -> text.apply("c" + i)).collect(Collectors.joining(", "));
	}

	/**
	 * Add tallies in an order common to all processes, since each waits for the others'
	 * rows.
	 */
	void add(List<Tally> tallies) {
		Map<String, Row> rows = new TreeMap<>();
		for (Tally tally : tallies) {
			for (Span span : Span.values()) {
				Row row = Row.of(tally, span);
				rows.merge(row.id(), row, Row::plus);
			}
		}
		this.dialect.addUp(this.statements, "tally", List.of(COLUMNS.split(", ")), 2, 2,
				rows.values().stream().map(Row::values).toList());
	}

	public void forgetOld(Instant now) {
		for (Span span : Span.values()) {
			this.statements.update("delete from {tally} where span = ? and start_at < ?", span.length().toMinutes(),
					EpochMillis.of(span.keptSince(now)));
		}
	}

	public List<Tally> of(Set<String> queues, Period period) {
		Span span = period.span();
		List<@Nullable Object> arguments = new ArrayList<>(
				List.of(span.length().toMinutes(), EpochMillis.of(period.from()), EpochMillis.of(period.to())));
		String among = "";
		if (!queues.isEmpty()) {
			among = " and queue in (??)";
			arguments.add(queues);
		}
		boolean whole = period.step().equals(span.length());
		if (!whole) {
			arguments.add(0, period.step().toMillis());
		}
		String sql = whole ? SPANS + among + " order by queue, start_at" : STEPS + columns(this.dialect::sum) + FROM
				+ among + " group by queue, step_at order by queue, step_at";
		return this.statements.query(sql, (row, n) -> {
			long[] cells = new long[Tally.CELLS];
			for (int i = 0; i < Tally.CELLS; i++) {
				cells[i] = Math.max(0, Math.min(row.getLong(3 + i), MOST));
			}
			return Tally.of(row.getString(1), EpochMillis.instant(row.getLong(2)), cells);
		}, arguments.toArray());
	}

	/**
	 * The numbers to add to a row.
	 *
	 * @param id its key
	 * @param queue the queue
	 * @param span how long its span is, in minutes
	 * @param start when its span began
	 * @param cells the numbers
	 */
	private record Row(String id, String queue, long span, long start, long[] cells) {

		public static Row of(Tally tally, Span span) {
			long minutes = span.length().toMinutes();
			long start = EpochMillis.of(span.startOf(tally.start()));
			return new Row(minutes + " " + start + " " + tally.queue(), tally.queue(), minutes, start, tally.cells());
		}

		Row plus(Row other) {
			long[] sums = new long[Tally.CELLS];
			Arrays.setAll(sums, (i) -> this.cells[i] + other.cells[i]);
			return new Row(this.id, this.queue, this.span, this.start, sums);
		}

		@Nullable Object[] values() {
			@Nullable Object[] values = new @Nullable Object[Tally.CELLS + 4];
			Arrays.setAll(values, (i) -> switch (i) {
				case 0 -> this.id;
				case 1 -> this.queue;
				case 2 -> this.span;
				case 3 -> this.start;
				default -> this.cells[i - 4];
			});
			return values;
		}

	}

}
