package dev.jobs.store.jdbc.operation;

import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

import dev.jobs.DeadReason;
import dev.jobs.Job;
import dev.jobs.JobState;
import dev.jobs.OnExpiry;
import dev.jobs.Trail;
import dev.jobs.store.PruneRequest;
import dev.jobs.store.Pruned;
import dev.jobs.store.jdbc.row.EpochMillis;
import dev.jobs.store.jdbc.row.JsonColumns;
import dev.jobs.store.jdbc.row.KeyColumns;
import dev.jobs.store.jdbc.row.StoredJob;
import dev.jobs.store.jdbc.saved.SavedSweep;
import dev.jobs.store.jdbc.saved.SavedValues;
import dev.jobs.store.jdbc.sql.Statements;
import dev.jobs.store.jdbc.sql.UnitOfWork;
import dev.jobs.store.jdbc.worker.Deliveries;
import dev.jobs.store.jdbc.worker.DeliveryRows;
import dev.jobs.store.jdbc.worker.TallyRows;
import dev.jobs.store.jdbc.worker.Workers;
import dev.jobs.store.support.TrailBuilder;
import org.jspecify.annotations.Nullable;

/**
 * One pass that removes jobs that are too old or too many.
 */
public final class PruneOperation {

	private static final int CLOSED_REMOVED = 5000;

	private final UnitOfWork work;

	private final Statements statements;

	private final Deliveries deliveries;

	private final SavedValues saved;

	private final SavedSweep sweep;

	private final PruneRequest request;

	private final long now;

	private int left;

	public PruneOperation(UnitOfWork work, DeliveryRows rows, SavedSweep sweep, PruneRequest request) {
		this.work = work;
		this.statements = work.statements();
		this.deliveries = new Deliveries(work.statements(), rows);
		this.saved = new SavedValues(work.statements());
		this.sweep = sweep;
		this.request = request;
		this.now = EpochMillis.of(request.now());
		this.left = Math.max(request.limit(), 0);
	}

	public Pruned run() {
		int dead = remove("state = {dead}", this.request.deadBefore(), this.request.deadKept());
		int history = remove("state > {dead}", this.request.historyBefore(), this.request.historyKept());
		int stranded = bury();
		if (this.request.schedulesBefore() != null) {
			long before = EpochMillis.of(this.request.schedulesBefore());
			String declared = " and (version is null or replaces is not null)";
			this.statements.update("delete from {schedule} where touched_at < ? and paused = 0" + declared, before);
			this.statements.update(
					"update {schedule} set latest = null, offered = null, fired = null, version = null, "
							+ "next_at = null where touched_at < ? and paused = 1 and latest is not null" + declared,
					before);
		}
		new TallyRows(this.statements, this.work.dialect()).forgetOld(this.request.now());
		this.statements.update("delete from {gate} where kept_until <= ?", this.now);
		this.deliveries.removeClosed(null, CLOSED_REMOVED);
		List<String> over = this.statements.query("select id from {throttle} where until_at <= ? limit ?",
				(row, n) -> row.getString(1), this.now, CLOSED_REMOVED);
		if (!over.isEmpty()) {
			this.statements.update("delete from {throttle} where until_at <= ? and id in (??)", this.now, over);
		}
		forgetEnds();
		List<Pruned.Expired> expired = expire();
		this.sweep.run(this.statements, this.now);
		return new Pruned(dead, history, stranded, this.left == 0, expired);
	}

	private void forgetEnds() {
		List<String> over = (this.left == 0) ? List.of()
				: this.statements.query(
						"select id from {end} where until_at <= ? order by until_at limit ?"
								+ this.work.dialect().skippingLocked(),
						(row, n) -> row.getString(1), this.now, this.left);
		if (!over.isEmpty()) {
			this.left -= this.statements.update("delete from {end} where until_at <= ? and id in (??)", this.now, over);
		}
	}

	/**
	 * End waiting jobs that have expired.
	 */
	private List<Pruned.Expired> expire() {
		List<StoredJob> due = (this.left == 0) ? List.of()
				: this.statements.query("select " + StoredJob.LISTED_COLUMNS
						+ " from {job} j where j.expires_at <= ? and not (j.id in (??)) order by j.expires_at limit ?"
						+ this.work.dialect().skippingLocked(), StoredJob::read, this.now, this.work.passedOver(),
						this.left);
		List<StoredJob> dying = new ArrayList<>();
		List<StoredJob> leaving = new ArrayList<>();
		Map<StoredJob, @Nullable Long> staying = new LinkedHashMap<>();
		for (StoredJob stored : due) {
			Job job = stored.seen(null, this.request.now());
			Instant deadline = job.deadline();
			if (job.state() == JobState.RUNNING) {
				staying.put(stored, EpochMillis.of(this.request.now().plus(Pruned.UNTIL_NEXT_LOOK)));
			}
			else if (!job.state().isWaiting() || !job.isExpired(this.request.now())) {
				boolean again = deadline != null && deadline.isAfter(this.request.now());
				staying.put(stored, again ? EpochMillis.ofOptional(deadline) : null);
			}
			else {
				((job.hasBegun() || job.onExpiry() == OnExpiry.DEAD) ? dying : leaving).add(stored);
			}
		}
		this.left -= staying.size();
		this.work.changeEach(List.copyOf(staying.keySet()), StoredJob::queue, StoredJob::id,
				"update {job} set expires_at = ? where id = ?",
				(job) -> new @Nullable Object[] { staying.get(job), job.id() });
		List<Pruned.Expired> expired = new ArrayList<>();
		Trail.End end = Trail.End.of(DeadReason.EXPIRED, Pruned.EXPIRED, this.request.now());
		bury(dying, end, ", expires_at = null")
			.forEach((job) -> expired.add(new Pruned.Expired(job.id(), job.queue(), true)));
		List<StoredJob> left = this.work.changeEach(leaving, StoredJob::queue, StoredJob::id,
				"delete from {job} where id = ?", (job) -> new @Nullable Object[] { job.id() });
		this.left -= left.size();
		this.saved.forget(left.stream().map(StoredJob::id).toList());
		left.forEach((job) -> expired.add(new Pruned.Expired(job.id(), job.queue(), false)));
		expired.stream().map(Pruned.Expired::queue).distinct().forEach(this.work::signalRoom);
		return expired;
	}

	private int remove(String which, @Nullable Instant before, int kept) {
		int removed = 0;
		if (before == null && kept <= 0) {
			return removed;
		}
		for (String queue : queuesWith(which)) {
			if (before != null) {
				removed += removeOldest(queue, which, EpochMillis.of(before), this.left);
			}
			if (kept > 0) {
				long many = this.statements.number("select count(*) from {job} where queue = ? and " + which, queue);
				removed += removeOldest(queue, which, Long.MAX_VALUE,
						(int) Math.min(Math.max(many - kept, 0), this.left));
			}
		}
		return removed;
	}

	private List<String> queuesWith(String which) {
		return this.statements
			.query("select n.name from {queue} n where exists (select 1 from {job} where queue = n.name " + "and "
					+ which + ")", (row, n) -> row.getString(1));
	}

	private int removeOldest(String queue, String which, long before, int count) {
		if (count <= 0) {
			return 0;
		}
		List<String> ids = this.statements.query(
				"select id from {job} where queue = ? and " + which
						+ " and since < ? and not (id in (??)) order by since, id limit ?"
						+ this.work.dialect().skippingLocked(),
				(row, n) -> row.getString(1), queue, before, this.work.passedOver(), count);
		List<String> removed = ids;
		if (this.work.isCareful()) {
			removed = this.work.changeEach(ids, (id) -> queue, (id) -> id, "delete from {job} where id = ?",
					(id) -> new @Nullable Object[] { id });
		}
		else if (!ids.isEmpty()) {
			this.statements.update("delete from {job} where id in (??)", ids);
		}
		this.saved.forget(removed);
		this.left -= removed.size();
		return removed.size();
	}

	/**
	 * Bury waiting jobs of queues that no worker has served for long.
	 */
	private int bury() {
		Instant before = this.request.strandedBefore();
		if (before == null || this.left == 0) {
			return 0;
		}
		Set<String> served = new Workers(this.statements, this.now).served();
		int buried = 0;
		for (String queue : queuesWith("state < {running}")) {
			if (!served.contains(queue)) {
				buried += bury(queue, 1, EpochMillis.of(before));
				buried += bury(queue, 0, EpochMillis.of(before));
				buried += bury(queue, -1, EpochMillis.of(before));
				buried += bury(queue, -2, EpochMillis.of(before));
			}
		}
		return buried;
	}

	private int bury(String queue, int state, long before) {
		List<StoredJob> jobs = this.statements.query(
				"select " + StoredJob.COLUMNS
						+ " from {job} j where j.queue = ? and j.state = ? and j.due_at < ? and not (j.id in (??)) "
						+ "order by j.due_at, j.id limit ?" + this.work.dialect().skippingLocked(),
				StoredJob::read, queue, state, before, this.work.passedOver(), this.left);
		Trail.End end = Trail.End.of(DeadReason.NO_HANDLER, "No live worker handles this job", this.request.now());
		List<StoredJob> buried = bury(jobs, end, "");
		if (!buried.isEmpty()) {
			this.work.signalRoom(queue);
		}
		return buried.size();
	}

	private List<StoredJob> bury(List<StoredJob> jobs, Trail.End end, String more) {
		List<StoredJob> buried = this.work.changeEach(jobs, StoredJob::queue, StoredJob::id,
				"update {job} set state = {dead}, ahead = 0, since = ?, trail = ?, held_key = "
						+ KeyColumns.heldIn(JobState.DEAD) + more + " where id = ?",
				(job) -> new @Nullable Object[] { this.now,
						JsonColumns.trail(TrailBuilder.ended(JsonColumns.trail(job.trail()), end)), job.id() });
		this.left -= buried.size();
		return buried;
	}

}
