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
		Long latest = (known != null) ? known.latest() : null;
		if (job == null) {
			return new TickReply(null, EpochMillis.instant(register(known, latest)));
		}
		if (known != null && latest != null && this.instant <= latest) {
			return (this.instant == latest && job.id().equals(known.offered()))
					? new TickReply(known.enqueued(), EpochMillis.instant(latest), true)
					: new TickReply(null, EpochMillis.instant(latest));
		}
		if (latest == null) {
			add(known);
		}
		if (known != null && known.paused()) {
			passOver();
			return new TickReply(null, this.tick.instant());
		}
		Enqueued enqueued = new EnqueueOperation(this.work, this.inserts, List.of(job), this.tick.now()).run().get(0);
		this.statements.update(
				"update {schedule} set latest = ?, touched_at = ?, offered = ?, outcome = ?, outcome_id = ?, "
						+ "outcome_due = ?, fired = ? where name = ?",
				this.instant, EpochMillis.of(this.tick.now()), job.id(), StoredCode.OUTCOME.of(enqueued.outcome()),
				enqueued.id(), EpochMillis.of(enqueued.dueAt()), fired(known, enqueued), this.tick.schedule());
		return new TickReply(enqueued, this.tick.instant());
	}

	/**
	 * Read the schedule and keep others from firing it.
	 */
	private @Nullable Known known() {
		return this.statements.first(
				"select definition, latest, paused, fired, offered, outcome, outcome_id, outcome_due "
						+ "from {schedule} where name = ?" + this.work.dialect().locking(),
				Known::read, this.tick.schedule());
	}

	private void passOver() {
		this.statements.update(
				"update {schedule} set latest = ?, touched_at = ?, offered = null, outcome = null where name = ?",
				this.instant, EpochMillis.of(this.tick.now()), this.tick.schedule());
	}

	private String fired(@Nullable Known known, Enqueued enqueued) {
		List<Fired> fired = new ArrayList<>((known != null) ? known.fired() : List.of());
		fired.add(new Fired(this.tick.instant(), this.tick.now(), enqueued.outcome(), enqueued.id()));
		return JsonColumns.fired(fired.subList(Math.max(0, fired.size() - ScheduleView.FIRED_KEPT), fired.size()));
	}

	private long register(@Nullable Known known, @Nullable Long latest) {
		if (known == null || latest == null) {
			add(known);
			return this.instant;
		}
		boolean moved = !this.tick.definition().equals(known.definition()) && this.instant > latest;
		this.statements.update("update {schedule} set definition = ?, queue = ?, touched_at = ? where name = ?",
				this.tick.definition(), this.tick.queue(), EpochMillis.of(this.tick.now()), this.tick.schedule());
		if (moved) {
			this.statements.update(
					"update {schedule} set latest = ?, offered = null, outcome = null, fired = null where name = ?",
					this.instant, this.tick.schedule());
		}
		return moved ? this.instant : latest;
	}

	/**
	 * Add the schedule, of which a pause may be known. If another has added it, that
	 * fails and all is tried again.
	 */
	private void add(@Nullable Known pause) {
		this.statements.update(
				(pause != null)
						? "update {schedule} set definition = ?, queue = ?, latest = ?, touched_at = ? where name = ?"
						: "insert into {schedule} (definition, queue, latest, touched_at, name) values (?, ?, ?, ?, ?)",
				this.tick.definition(), this.tick.queue(), this.instant, EpochMillis.of(this.tick.now()),
				this.tick.schedule());
	}

	/**
	 * What is known of a schedule.
	 *
	 * @param definition its expression and zone, or {@code null} if only a pause is known
	 * @param latest its latest tick, or {@code null} if only a pause is known
	 * @param paused whether it is paused
	 * @param fired the latest ticks that were fired
	 * @param offered the id of the job that the latest tick offered, or {@code null}
	 * @param enqueued what became of it, or {@code null}
	 */
	private record Known(@Nullable String definition, @Nullable Long latest, boolean paused, List<Fired> fired,
			@Nullable String offered, @Nullable Enqueued enqueued) {

		static Known read(ResultSet row, int number) throws SQLException {
			long latest = row.getLong(2);
			boolean registered = !row.wasNull();
			Outcome outcome = StoredCode.OUTCOME.find(row.getString(6));
			String id = row.getString(7);
			Enqueued enqueued = (outcome != null && id != null)
					? Enqueued.of(id, outcome, EpochMillis.instant(row.getLong(8))) : null;
			return new Known(row.getString(1), registered ? latest : null, row.getInt(3) == 1,
					JsonColumns.fired(row.getString(4)), row.getString(5), enqueued);
		}

	}

}
