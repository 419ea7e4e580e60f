package dev.jobs.store.jdbc;

import java.time.Instant;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

import dev.jobs.store.Save;
import dev.jobs.store.StepMarks;
import dev.jobs.store.jdbc.row.EpochMillis;
import dev.jobs.store.jdbc.sql.Session;

/**
 * Marks of steps in a table beside the tables of the application. Its key decides between
 * two runs that do the same step: the second insert waits for the first transaction, and
 * fails if that commits.
 */
final class JdbcStepMarks implements StepMarks {

	private final Sessions sessions;

	JdbcStepMarks(Sessions sessions) {
		this.sessions = sessions;
	}

	@Override
	public Map<String, byte[]> find(String job, String payload) {
		Map<String, byte[]> found = new HashMap<>();
		this.sessions.own()
			.read((statements) -> statements.query("select name, body from {step} where job = ? and payload = ?",
					(row, n) -> found.put(row.getString(1), row.getBytes(2)), job, payload));
		return found;
	}

	@Override
	public boolean inTransaction() {
		return this.sessions.joined() != null;
	}

	@Override
	public void write(Save step, String payload, Instant now) {
		Session joined = Objects.requireNonNull(this.sessions.joined(), "There is no transaction");
		joined.write((work) -> work.statements()
			.update("insert into {step} (job, payload, name, done_at, body) values (?, ?, ?, ?, ?)", step.job(),
					payload, step.name(), EpochMillis.of(now), step.value()));
	}

	@Override
	public Map<String, Instant> jobs(Instant after, Instant before, int limit) {
		Map<String, Instant> found = new HashMap<>();
		this.sessions.own()
			.read((statements) -> statements.query(
					"select job, done_at from {step} where done_at > ? and done_at < ? order by done_at limit ?",
					(row, n) -> found.put(row.getString(1), EpochMillis.instant(row.getLong(2))), EpochMillis.of(after),
					EpochMillis.of(before), limit));
		return found;
	}

	@Override
	public void forget(Collection<String> jobs, Instant before) {
		remove("done_at < ? and job in (??)", EpochMillis.of(before), List.copyOf(jobs));
	}

	@Override
	public boolean forget(String job, String step) {
		return remove("job = ? and name = ?", job, step) > 0;
	}

	private int remove(String condition, Object... arguments) {
		return this.sessions.own()
			.writeOnly((work) -> work.statements().update("delete from {step} where " + condition, arguments));
	}

}
