package dev.jobs.store.jdbc.worker;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

import dev.jobs.store.Claim;
import dev.jobs.store.ClaimReply;
import dev.jobs.store.TakeOver;
import dev.jobs.store.jdbc.row.EpochMillis;
import dev.jobs.store.jdbc.row.StoredJob;
import dev.jobs.store.jdbc.sql.Statements;
import dev.jobs.store.jdbc.sql.UnitOfWork;
import org.jspecify.annotations.Nullable;

/**
 * One takeover.
 */
public final class TakeOverOperation {

	/**
	 * Whether there are workers to forget, jobs to take over from them, or leases to cut.
	 */
	private static final String ABANDONED = "select count(*) from (select 1) one where exists "
			+ "(select 1 from %s d where " + Deliveries.IS_UNREGISTERED + " or (d.worker is null and "
			+ Deliveries.IS_OPEN + ")) or exists (select 1 from {worker} where (%s or %s) and id <> ?)";

	/** The reply for a worker that gets no jobs. */
	public static final ClaimReply NOTHING = new ClaimReply(List.of(), List.of());

	private final UnitOfWork work;

	private final Statements statements;

	private final DeliveryRows rows;

	private final TakeOver request;

	private final long now;

	private final Workers workers;

	public TakeOverOperation(UnitOfWork work, DeliveryRows rows, TakeOver request) {
		this.work = work;
		this.statements = work.statements();
		this.rows = rows;
		this.request = request;
		this.now = EpochMillis.of(request.now());
		this.workers = new Workers(this.statements, this.now,
				request.serverTime() ? work.dialect().timeExpression() : null);
	}

	/**
	 * Return whether a takeover that asks for the jobs of vanished workers has anything
	 * to do.
	 */
	public boolean hasAbandoned() {
		return this.statements.number(
				ABANDONED.formatted(this.rows.source(), this.workers.isOver(), this.workers.isTooLong()),
				this.rows.with(this.now, this.now, this.request.worker())) > 0;
	}

	public ClaimReply run() {
		Deliveries deliveries = new Deliveries(this.statements, this.rows);
		boolean own = !this.request.strays().isEmpty();
		if (!own) {
			String locking = this.work.dialect().skippingLocked();
			this.workers.forget(this.workers.expiredBut(this.request.worker(), locking), deliveries);
			this.workers.cutLeases(locking);
			deliveries.abandonUnregistered();
		}
		if (!this.workers.isAlive(this.request.worker()) || this.request.queues().isEmpty()
				|| this.request.limit() <= 0) {
			return NOTHING;
		}
		return new ClaimReply(take(own ? strays() : held("d.worker is null")), List.of());
	}

	private List<StoredJob> strays() {
		return held("d.worker = ? and d.token in (??)", this.request.worker(), this.request.strays().keySet());
	}

	private List<StoredJob> held(String condition, Object... arguments) {
		Set<String> staying = new HashSet<>(this.request.staying());
		staying.addAll(this.work.passedOver());
		List<@Nullable Object> all = new ArrayList<>(Arrays.asList(this.rows.with(arguments)));
		all.addAll(List.copyOf(all));
		all.add(this.request.queues());
		if (!staying.isEmpty()) {
			all.add(staying);
		}
		all.add(this.request.limit());
		return this.statements.query(
				"select " + StoredJob.COLUMNS + " from {job} j where j.state = {running} "
						+ "and exists (select 1 from " + this.rows.source()
						+ " d where d.queue = j.queue and d.token = j.token and " + condition
						+ ") and j.token >= (select min(d.token) from " + this.rows.source() + " d where " + condition
						+ ") and j.queue in (??)" + (staying.isEmpty() ? "" : " and not (j.id in (??))")
						+ " order by j.token, j.id limit ?" + this.work.dialect().skippingLocked(),
				StoredJob::read, all.toArray());
	}

	private List<Claim> take(Collection<StoredJob> found) {
		if (found.isEmpty()) {
			return List.of();
		}
		long token = this.work.dialect().next(this.statements, "token", 1).get(0);
		List<StoredJob> jobs = found.stream()
			.sorted(Comparator.comparing(StoredJob::token).thenComparing(StoredJob::place))
			.toList();
		List<StoredJob> taken = this.work
			.changeEach(jobs, StoredJob::queue, StoredJob::id, "update {job} set token = ?, since = ? where id = ?",
					(job) -> new @Nullable Object[] { token, this.now, job.id() })
			.stream()
			.map((job) -> job.takenUnder(token))
			.toList();
		new Deliveries(this.statements, this.rows).add(taken, this.request.worker(), this.now);
		return taken.stream().map((job) -> job.claim(this.request.worker(), token, this.request.now())).toList();
	}

}
