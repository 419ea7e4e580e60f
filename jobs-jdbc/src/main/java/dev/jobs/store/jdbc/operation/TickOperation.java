package dev.jobs.store.jdbc.operation;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

import dev.jobs.Enqueued;
import dev.jobs.Enqueued.Outcome;
import dev.jobs.store.NewJob;
import dev.jobs.store.ScheduleView;
import dev.jobs.store.ScheduleView.Fired;
import dev.jobs.store.StoredCode;
import dev.jobs.store.Tick;
import dev.jobs.store.TickReply;
import dev.jobs.store.jdbc.row.EpochMillis;
import dev.jobs.store.jdbc.row.JsonColumns;
import dev.jobs.store.jdbc.sql.Statements;
import dev.jobs.store.jdbc.sql.UnitOfWork;
import org.jspecify.annotations.Nullable;

/**
 * One tick of a schedule.
 */
public final class TickOperation {

	private final UnitOfWork work;

	private final Statements statements;

	private final JobInserts inserts;

	private final Tick tick;

	private final long instant;

	public TickOperation(UnitOfWork work, JobInserts inserts, Tick tick) {
		this.work = work;
		this.statements = work.statements();
		this.inserts = inserts;
		this.tick = tick;
		this.instant = EpochMillis.of(tick.instant());
	}

	public TickReply run() {
		NewJob job = this.tick.job();
		Known known = known();
		if (job == null) {
			return new TickReply(null, EpochMillis.instant(register(known)));
		}
		if (known != null && this.instant == known.latest() && job.id().equals(known.offered())) {
			return new TickReply(known.enqueued(), EpochMillis.instant(known.latest()), true);
		}
		if (known != null && this.instant <= known.latest()) {
			return new TickReply(null, EpochMillis.instant(known.latest()));
		}
		Memory memory = memory();
		if (memory.paused()) {
			passOver(known);
			return new TickReply(null, this.tick.instant());
		}
		Enqueued enqueued = new EnqueueOperation(this.work, this.inserts, List.of(job), this.tick.now()).run().get(0);
		if (known == null) {
			add();
		}
		this.statements.update(
				"update {schedule} set latest = ?, touched_at = ?, offered = ?, outcome = ?, outcome_id = ?, "
						+ "outcome_due = ? where name = ?",
				this.instant, EpochMillis.of(this.tick.now()), job.id(), StoredCode.OUTCOME.of(enqueued.outcome()),
				enqueued.id(), EpochMillis.of(enqueued.dueAt()), this.tick.schedule());
		remember(memory, enqueued);
		return new TickReply(enqueued, this.tick.instant());
	}

	/**
	 * Read the schedule and keep others from firing it.
	 */
	private @Nullable Known known() {
		return this.statements
			.first("select definition, latest, offered, outcome, outcome_id, outcome_due from {schedule} "
					+ "where name = ?" + this.work.dialect().locking(), Known::read, this.tick.schedule());
	}

	private void passOver(@Nullable Known known) {
		if (known == null) {
			add();
		}
		this.statements.update(
				"update {schedule} set latest = ?, touched_at = ?, offered = null, outcome = null where name = ?",
				this.instant, EpochMillis.of(this.tick.now()), this.tick.schedule());
	}

	private Memory memory() {
		Memory memory = this.statements.first("select paused, fired from {ticks} where name = ?",
				(row, n) -> new Memory(true, row.getInt(1) == 1, JsonColumns.fired(row.getString(2))),
				this.tick.schedule());
		return (memory != null) ? memory : new Memory(false, false, List.of());
	}

	private void remember(Memory memory, Enqueued enqueued) {
		List<Fired> fired = new ArrayList<>(memory.fired());
		fired.add(new Fired(this.tick.instant(), this.tick.now(), enqueued.outcome(), enqueued.id()));
		String text = JsonColumns
			.fired(fired.subList(Math.max(0, fired.size() - ScheduleView.FIRED_KEPT), fired.size()));
		if (memory.stored()) {
			this.statements.update("update {ticks} set fired = ? where name = ?", text, this.tick.schedule());
		}
		else {
			this.statements.update("insert into {ticks} (name, fired) values (?, ?)", this.tick.schedule(), text);
		}
	}

	private long register(@Nullable Known known) {
		long now = EpochMillis.of(this.tick.now());
		if (known == null) {
			add();
			return this.instant;
		}
		boolean moved = !this.tick.definition().equals(known.definition()) && this.instant > known.latest();
		this.statements.update("update {schedule} set definition = ?, queue = ?, touched_at = ? where name = ?",
				this.tick.definition(), this.tick.queue(), now, this.tick.schedule());
		if (moved) {
			this.statements.update("update {schedule} set latest = ?, offered = null, outcome = null where name = ?",
					this.instant, this.tick.schedule());
			this.statements.update("update {ticks} set fired = null where name = ?", this.tick.schedule());
		}
		return moved ? this.instant : known.latest();
	}

	/**
	 * Add the schedule. If another has, that fails and all is tried again.
	 */
	private void add() {
		this.statements.update(
				"insert into {schedule} (name, definition, queue, latest, touched_at) values (?, ?, ?, ?, ?)",
				this.tick.schedule(), this.tick.definition(), this.tick.queue(), this.instant,
				EpochMillis.of(this.tick.now()));
	}

	/**
	 * What is stored of a schedule beside its latest tick.
	 *
	 * @param stored whether anything is
	 * @param paused whether it is paused
	 * @param fired the latest ticks that were fired
	 */
	private record Memory(boolean stored, boolean paused, List<Fired> fired) {

	}

	/**
	 * What is known of a schedule.
	 *
	 * @param definition its expression and zone
	 * @param latest its latest tick
	 * @param offered the id of the job that this tick offered, or {@code null}
	 * @param enqueued what became of it, or {@code null}
	 */
	private record Known(String definition, long latest, @Nullable String offered, @Nullable Enqueued enqueued) {

		static Known read(ResultSet row, int number) throws SQLException {
			Outcome outcome = StoredCode.OUTCOME.find(row.getString(4));
			String id = row.getString(5);
			Enqueued enqueued = (outcome != null && id != null)
					? Enqueued.of(id, outcome, EpochMillis.instant(row.getLong(6))) : null;
			return new Known(row.getString(1), row.getLong(2), row.getString(3), enqueued);
		}

	}

}
