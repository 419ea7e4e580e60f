package dev.jobs.store.jdbc.worker;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

import dev.jobs.store.BeatReply;
import dev.jobs.store.WorkerBeat;
import dev.jobs.store.jdbc.row.EpochMillis;
import dev.jobs.store.jdbc.sql.Statements;
import dev.jobs.store.jdbc.sql.UnitOfWork;
import dev.jobs.store.view.WorkerInfo;
import dev.jobs.store.view.WorkerJson;
import org.jspecify.annotations.Nullable;

/**
 * One beat, without its {@linkplain Reports report}.
 */
public final class BeatOperation {

	private static final int CLOSED_REMOVED = 5000;

	private final UnitOfWork work;

	private final Statements statements;

	private final Deliveries deliveries;

	private final WorkerBeat beat;

	private final long now;

	public BeatOperation(UnitOfWork work, DeliveryRows rows, WorkerBeat beat) {
		this.work = work;
		this.statements = work.statements();
		this.deliveries = new Deliveries(this.statements, rows);
		this.beat = beat;
		this.now = EpochMillis.of(beat.now());
	}

	public BeatReply run() {
		String worker = this.beat.worker();
		if (this.beat.leaving()) {
			note();
			new Workers(this.statements, this.now).forget(List.of(worker), this.deliveries);
			return new BeatReply(Map.of(), Set.of(), null);
		}
		register();
		openServedQueues();
		note();
		this.deliveries.removeClosed(worker, CLOSED_REMOVED);
		Set<String> cancelled = this.deliveries.cancelled(worker);
		Map<Long, Integer> held = this.deliveries.held(worker);
		String time = this.work.dialect().timeExpression();
		return this.statements
			.query("select " + ((time != null) ? time : "null")
					+ ", min(next_at), (select max(revision) from {setting} where id = '') from {schedule}",
					(row, n) -> new BeatReply(held, cancelled, optional(row, 1)).withFirstTick(optional(row, 2))
						.withSettings(row.getLong(3)))
			.get(0);
	}

	/**
	 * Return the time in a column, or {@code null} if it has none.
	 */
	public static @Nullable Instant optional(ResultSet row, int column) throws SQLException {
		long millis = row.getLong(column);
		return row.wasNull() ? null : EpochMillis.instant(millis);
	}

	private void register() {
		String info = WorkerJson.of(this.beat.info());
		long until = EpochMillis.of(this.beat.now().plus(this.beat.lease()));
		long lease = this.beat.lease().toMillis();
		int known = this.statements.update(
				"update {worker} set last_beat = ?, lease_until = ?, lease = ?, info = coalesce(?, info) where id = ?",
				this.now, until, lease, info, this.beat.worker());
		if (known == 0) {
			this.work.dialect()
				.insertNew(this.statements, "worker", "id, last_beat, lease_until, lease, info", this.beat.worker(),
						this.now, until, lease, info);
		}
	}

	private void openServedQueues() {
		List<String> served = servedBy(this.beat);
		if (!served.isEmpty()) {
			this.work.dialect().openQueuesWithJobs(this.statements, served);
		}
	}

	/**
	 * Return the queues that a worker reports to serve.
	 */
	public static List<String> servedBy(WorkerBeat beat) {
		WorkerInfo info = beat.info();
		return (info != null) ? info.pools().stream().flatMap((pool) -> pool.queues().stream()).toList() : List.of();
	}

	/**
	 * Write the reports of jobs. A job that ends in its handler's transaction stays
	 * locked until the commit, and the beat must not wait for that.
	 */
	private void note() {
		List<WorkerBeat.Note> notes = this.beat.notes();
		if (notes.isEmpty()) {
			return;
		}
		Set<String> free = new HashSet<>(
				this.statements.query("select id from {job} where id in (??)" + this.work.dialect().skippingLocked(),
						(row, n) -> row.getString(1), notes.stream().map(WorkerBeat.Note::jobId).toList()));
		this.statements.batch("update {job} set progress = ? where id = ? and token = ?", notes.stream()
			.filter((note) -> free.contains(note.jobId()))
			.map((note) -> new @Nullable Object[] { WorkerJson.of(note.progress()), note.jobId(), note.token() })
			.toList());
	}

}
