package dev.jobs.store.jdbc.operation;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

import dev.jobs.JobState;
import dev.jobs.Urgency;
import dev.jobs.store.jdbc.operation.ReadyJobs.Wanted;
import dev.jobs.store.jdbc.row.KeyColumns;
import dev.jobs.store.jdbc.row.StoredJob;
import dev.jobs.store.jdbc.sql.UnitOfWork;
import dev.jobs.store.jdbc.worker.Deliveries;
import dev.jobs.store.jdbc.worker.DeliveryRows;
import org.jspecify.annotations.Nullable;

/**
 * Finds ready jobs queue by queue, locks them and then holds them one by one.
 */
public final class HeldJobs {

	/** The order of the jobs of a lane. */
	private static final String ORDER = " order by j.ahead, j.urgency, j.due_at, j.id";

	private HeldJobs() {
	}

	/**
	 * Hold ready jobs as {@link ReadyJobs#hold} specifies. The token is drawn when all
	 * rows are locked, so it is greater than any they were held under. A row refused in
	 * one queue leaves its place to the next queue.
	 */
	public static List<StoredJob> hold(UnitOfWork work, List<Wanted> wanted, int limit, String worker, long now) {
		if (work.isCareful() && wanted.size() > 1) {
			List<StoredJob> held = new ArrayList<>();
			wanted.forEach((each) -> held.addAll(hold(work, List.of(each), limit - held.size(), worker, now)));
			return held;
		}
		List<StoredJob> found = new ArrayList<>();
		for (Wanted each : wanted) {
			int count = Math.min(each.count(), limit - found.size());
			if (count > 0) {
				found.addAll(first(work, each, count));
			}
		}
		if (found.isEmpty()) {
			return found;
		}
		long token = work.dialect().next(work.statements(), "token", 1).get(0);
		List<StoredJob> held = work
			.changeEach(found, StoredJob::queue, StoredJob::id,
					"update {job} set state = {running}, token = ?, since = ?, cancel = null, held_key = "
							+ KeyColumns.heldIn(JobState.RUNNING) + " where id = ?",
					(job) -> new @Nullable Object[] { token, now, job.id() })
			.stream()
			.map((job) -> job.heldUnder(token))
			.toList();
		new Deliveries(work.statements(), DeliveryRows.ALL).add(held, worker, now);
		return held;
	}

	/**
	 * Return whether jobs of each urgency are wanted. Only then may one keep the place of
	 * the lane; without these, the index leads to the urgency.
	 */
	private static boolean isWhole(Wanted wanted) {
		return wanted.from() == Urgency.URGENT && wanted.to() == Urgency.LOW;
	}

	private static List<StoredJob> first(UnitOfWork work, Wanted wanted, int count) {
		if (!wanted.isInLane()) {
			return work.statements()
				.query("select " + StoredJob.COLUMNS + " from {job} j where j.queue = ? and not (j.id in (??)) "
						+ "and j.state = {ready} order by j.place limit ?" + work.dialect().skippingLocked(),
						StoredJob::read, wanted.queue(), work.passedOver(), count);
		}
		String line = " from {job} j where j.queue = ? and not (j.id in (??)) and j.state = {laned} and j.lane = ? "
				+ "and j.urgency between ? and ?" + (isWhole(wanted) ? "" : " and j.ahead = 0") + ORDER + " limit ?";
		List<Object> of = List.of(wanted.queue(), work.passedOver(), wanted.lane(), wanted.from().ordinal(),
				wanted.to().ordinal(), count);
		if (!wanted.onlyFirst()) {
			return work.statements()
				.query("select " + StoredJob.COLUMNS + line + work.dialect().skippingLocked(), StoredJob::read,
						of.toArray());
		}
		List<String> ids = work.statements().query("select j.id" + line, (row, n) -> row.getString(1), of.toArray());
		return work.statements()
			.query("select " + StoredJob.COLUMNS + " from {job} j where j.id in (??) and j.state = {laned} "
					+ "and j.lane = ?" + ORDER + work.dialect().skippingLocked(), StoredJob::read, ids, wanted.lane());
	}

	/**
	 * Return the given queues that have ready jobs, except jobs that are passed over.
	 * This avoids {@code exists}, with which MariaDB may collect the whole backlog before
	 * it looks for the queues.
	 */
	public static Set<String> withReady(UnitOfWork work, Collection<String> queues) {
		return new HashSet<>(work.statements()
			.query("select n.name from {queue} n where n.name in (??) and (select 1 from {job} j "
					+ "where j.queue = n.name and j.state = {ready} and not (j.id in (??)) limit 1) = 1",
					(row, n) -> row.getString(1), queues, work.passedOver()));
	}

}
