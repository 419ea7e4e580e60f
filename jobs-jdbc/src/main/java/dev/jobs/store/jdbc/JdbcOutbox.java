package dev.jobs.store.jdbc;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.IntStream;

import dev.jobs.store.NewJob;
import dev.jobs.store.Outbox;
import dev.jobs.store.jdbc.row.EpochMillis;
import dev.jobs.store.jdbc.sql.Dialect;
import dev.jobs.store.jdbc.sql.OwnSession;
import dev.jobs.store.jdbc.sql.Session;
import dev.jobs.store.jdbc.sql.Statements;
import dev.jobs.store.jdbc.sql.UnitOfWork;
import dev.jobs.store.jdbc.sql.UnitOfWork.RefusedRows;
import dev.jobs.store.support.Refusals;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * An outbox in a table beside the tables of the application.
 * <p>
 * Jobs are handed over in a transaction that locks their rows and skips locked ones.
 * Where rows cannot be locked, this happens outside a transaction, so that nobody waits
 * for it; two processes may then hand over the same job.
 */
public final class JdbcOutbox implements Outbox {

	private static final Logger logger = LoggerFactory.getLogger(JdbcOutbox.class);

	private static final String CONTENTS = "select count(*) - count(problem), count(problem), "
			+ "min(case when problem is null then created_at end) from {outbox}";

	private final Sessions sessions;

	private final RefusedRows refused = new RefusedRows(new Refusals(), "to change, in the outbox, job");

	JdbcOutbox(Sessions sessions) {
		this.sessions = sessions;
	}

	@Override
	public boolean write(List<NewJob> jobs) {
		Session joined = this.sessions.joined();
		if (joined == null) {
			return false;
		}
		return joined.write((work) -> {
			work.statements().batch(OutboxRow.INSERT, jobs.stream().map(OutboxRow::of).toList());
			return true;
		});
	}

	@Override
	public int relay(int limit, Set<String> queues, Set<String> ids, Delivery delivery) {
		OwnSession own = this.sessions.own();
		if (!this.sessions.hasOneWriter()) {
			return own.writePast(this.refused, (work) -> {
				List<OutboxRow> rows = find(work.statements(), own.dialect(), limit, queues, ids);
				clear(work, rows, arrived(rows, delivery));
				return rows.size();
			});
		}
		List<OutboxRow> rows = own.read((statements) -> find(statements, own.dialect(), limit, queues, ids));
		List<OutboxRow> gone = arrived(rows, delivery);
		if (!gone.isEmpty() || rows.stream().anyMatch((row) -> row.job() == null)) {
			own.writeOnlyPast(this.refused, (work) -> clear(work, rows, gone));
		}
		return rows.size();
	}

	private static List<OutboxRow> find(Statements statements, Dialect dialect, int limit, Set<String> queues,
			Set<String> ids) {
		return statements.query(
				"select " + OutboxRow.COLUMNS + " from {outbox} where problem is null and not (queue in (??)) "
						+ "and not (id in (??)) order by place limit ?" + dialect.skippingLocked(),
				OutboxRow::read, queues, ids, limit);
	}

	private static void clear(UnitOfWork work, List<OutboxRow> rows, List<OutboxRow> gone) {
		for (OutboxRow row : rows) {
			if (row.job() == null) {
				logger.error(
						"The row {} of {} cannot be read and stays there: {}. Correct it and set its problem to null, "
								+ "or delete it",
						row.place(), work.statements().name("outbox"), row.problem());
				setAside(work, row, String.valueOf(row.problem()));
			}
		}
		if (gone.isEmpty()) {
			return;
		}
		if (!work.isCareful()) {
			work.dialect().deleteFromOutbox(work.statements(), gone.stream().map(OutboxRow::place).toList());
			return;
		}
		// If it were handed over for ever, it would run again once the store has
		// forgotten it.
		List<OutboxRow> left = new ArrayList<>(gone);
		left.removeAll(change(work, gone, "delete from {outbox} where place = ?",
				(row) -> new @Nullable Object[] { row.place() }));
		left.forEach((row) -> {
			logger.error("The row {} of {} was carried over, but the database refuses to remove it; it stays there. "
					+ "Delete it", row.place(), work.statements().name("outbox"));
			setAside(work, row, "It was carried over, but the database refuses to remove it");
		});
	}

	private static List<OutboxRow> arrived(List<OutboxRow> found, Delivery delivery) {
		List<OutboxRow> rows = found.stream().filter((row) -> row.job() != null).toList();
		if (rows.isEmpty()) {
			return List.of();
		}
		List<Boolean> taken = delivery.take(rows.stream().map((row) -> Objects.requireNonNull(row.job())).toList());
		return IntStream.range(0, rows.size()).filter(taken::get).mapToObj(rows::get).toList();
	}

	private static void setAside(UnitOfWork work, OutboxRow row, String problem) {
		change(work, List.of(row), "update {outbox} set problem = ? where place = ?",
				(set) -> new @Nullable Object[] { problem, set.place() });
	}

	private static List<OutboxRow> change(UnitOfWork work, List<OutboxRow> rows, String sql,
			Function<OutboxRow, @Nullable Object[]> arguments) {
		return work.changeEach(rows, (row) -> (row.job() != null) ? row.job().name() : "",
				(row) -> (row.job() != null) ? row.job().id() : "", sql, arguments);
	}

	@Override
	public Contents contents() {
		return this.sessions.own()
			.read((statements) -> Objects.requireNonNull(statements.first(CONTENTS, JdbcOutbox::readContents)));
	}

	private static Contents readContents(ResultSet row, int number) throws SQLException {
		long waiting = row.getLong(1);
		return new Contents(waiting, row.getLong(2), (waiting > 0) ? EpochMillis.instant(row.getLong(3)) : null);
	}

}
