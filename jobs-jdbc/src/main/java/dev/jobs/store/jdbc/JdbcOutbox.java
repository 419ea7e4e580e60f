package dev.jobs.store.jdbc;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;

import dev.jobs.store.NewJob;
import dev.jobs.store.Outbox;
import dev.jobs.store.jdbc.row.EpochMillis;
import dev.jobs.store.jdbc.sql.Dialect;
import dev.jobs.store.jdbc.sql.OwnSession;
import dev.jobs.store.jdbc.sql.Session;
import dev.jobs.store.jdbc.sql.Statements;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * An outbox in a table beside the tables of the application.
 * <p>
 * Jobs are handed over in a transaction that locks their rows and skips locked ones.
 * Where rows cannot be locked, it is done outside of one, so that nobody has to wait for
 * it; two processes may then hand over the same job.
 */
public final class JdbcOutbox implements Outbox {

	private static final Logger logger = LoggerFactory.getLogger(JdbcOutbox.class);

	private static final String CONTENTS = "select count(*) - count(problem), count(problem), "
			+ "min(case when problem is null then created_at end) from {outbox}";

	private final Sessions sessions;

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
			return own.write((work) -> {
				List<OutboxRow> rows = find(work.statements(), own.dialect(), limit, queues, ids);
				clear(work.statements(), own.dialect(), rows, arrived(rows, delivery));
				return rows.size();
			});
		}
		List<OutboxRow> rows = own.read((statements) -> find(statements, own.dialect(), limit, queues, ids));
		List<Long> gone = arrived(rows, delivery);
		if (!gone.isEmpty() || rows.stream().anyMatch((row) -> row.job() == null)) {
			own.writeOnly((statements) -> clear(statements, own.dialect(), rows, gone));
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

	private static void clear(Statements statements, Dialect dialect, List<OutboxRow> rows, List<Long> gone) {
		rows.stream().filter((row) -> row.job() == null).forEach((row) -> setAside(statements, row));
		if (!gone.isEmpty()) {
			dialect.deleteFromOutbox(statements, gone);
		}
	}

	private static List<Long> arrived(List<OutboxRow> found, Delivery delivery) {
		List<OutboxRow> rows = found.stream().filter((row) -> row.job() != null).toList();
		if (rows.isEmpty()) {
			return List.of();
		}
		List<Boolean> taken = delivery.take(rows.stream().map((row) -> Objects.requireNonNull(row.job())).toList());
		List<Long> places = new ArrayList<>();
		for (int i = 0; i < rows.size(); i++) {
			if (taken.get(i)) {
				places.add(rows.get(i).place());
			}
		}
		return places;
	}

	private static void setAside(Statements statements, OutboxRow row) {
		logger.error("The row {} of {} cannot be read and stays there: {}. Correct it and set its problem to null, "
				+ "or delete it", row.place(), statements.name("outbox"), row.problem());
		statements.update("update {outbox} set problem = ? where place = ?", row.problem(), row.place());
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
