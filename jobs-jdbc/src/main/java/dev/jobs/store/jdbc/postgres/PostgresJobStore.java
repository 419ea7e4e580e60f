package dev.jobs.store.jdbc.postgres;

import java.time.Instant;
import java.util.List;

import dev.jobs.Enqueued;
import dev.jobs.store.BeatReply;
import dev.jobs.store.Change;
import dev.jobs.store.Changed;
import dev.jobs.store.ClaimReply;
import dev.jobs.store.ClaimRequest;
import dev.jobs.store.JobInspector;
import dev.jobs.store.NewJob;
import dev.jobs.store.PruneRequest;
import dev.jobs.store.Pruned;
import dev.jobs.store.Refusals;
import dev.jobs.store.Settled;
import dev.jobs.store.StoreListener;
import dev.jobs.store.TakeOver;
import dev.jobs.store.Tick;
import dev.jobs.store.TickReply;
import dev.jobs.store.Transition;
import dev.jobs.store.WorkerBeat;
import dev.jobs.store.jdbc.operation.ChangeOperation;
import dev.jobs.store.jdbc.operation.EnqueueOperation;
import dev.jobs.store.jdbc.operation.JobInserts;
import dev.jobs.store.jdbc.operation.PruneOperation;
import dev.jobs.store.jdbc.operation.SettleOperation;
import dev.jobs.store.jdbc.operation.TickOperation;
import dev.jobs.store.jdbc.postgres.mark.LiveDeliveries;
import dev.jobs.store.jdbc.postgres.mark.LowWaterMarks;
import dev.jobs.store.jdbc.postgres.mark.MarkCheck;
import dev.jobs.store.jdbc.read.DatabaseStore;
import dev.jobs.store.jdbc.read.JdbcJobInspector;
import dev.jobs.store.jdbc.read.JobReader;
import dev.jobs.store.jdbc.row.EpochMillis;
import dev.jobs.store.jdbc.signal.Signals;
import dev.jobs.store.jdbc.sql.Session;
import dev.jobs.store.jdbc.sql.UnitOfWork.RefusedRows;
import dev.jobs.store.jdbc.worker.OrphanRepair;
import dev.jobs.store.jdbc.worker.Reports;
import org.jspecify.annotations.Nullable;

/**
 * The store in PostgreSQL. Most calls are one statement over arrays that commits itself;
 * claims and beats read from a low-water mark, below which no ready job and no delivery
 * is left, and the lists of operators are read in a time that hardly grows with the
 * tables.
 */
public final class PostgresJobStore implements DatabaseStore {

	private final Session session;

	private final Signals signals;

	private final LowWaterMarks marks = new LowWaterMarks();

	private final LiveDeliveries deliveries = new LiveDeliveries();

	private final MarkCheck check = new MarkCheck(this.marks, this.deliveries);

	private final JobInserts inserts = new PostgresJobInserts();

	private final PostgresReadyJobs ready = new PostgresReadyJobs(this.marks);

	private final JobReader reader = new PostgresJobReader(this.marks, this.deliveries);

	private final RefusedRows notStarted;

	private final RefusedRows notTakenOver;

	private final RefusedRows notRemoved;

	private final OrphanRepair orphans;

	private final Reports reports;

	/**
	 * Create a store.
	 * @param refusals what the database refuses to change
	 */
	public PostgresJobStore(Session session, Signals signals, Refusals refusals) {
		this.session = session;
		this.signals = signals;
		this.reports = new Reports(session);
		this.notStarted = new RefusedRows(refusals, "to start job");
		this.notTakenOver = new RefusedRows(refusals, "to take over job");
		this.notRemoved = new RefusedRows(refusals, "to remove job");
		this.orphans = new OrphanRepair(new RefusedRows(refusals, "to repair job"));
	}

	@Override
	public List<Enqueued> enqueue(List<NewJob> jobs, Instant now) {
		return jobs.isEmpty() ? List.of() : this.session
			.run((work) -> new PostgresEnqueueOperation(jobs, new EnqueueOperation(work, this.inserts, jobs, now)));
	}

	@Override
	public ClaimReply claim(ClaimRequest request) {
		return this.session.runPast(this.notStarted,
				(work) -> new PostgresClaimOperation(work, this.ready, this.deliveries.rows(), request));
	}

	@Override
	public ClaimReply takeOver(TakeOver request) {
		return this.session.runPast(this.notTakenOver,
				(work) -> new PostgresTakeOverOperation(work, this.check, this.deliveries, request));
	}

	@Override
	public List<Settled> settle(List<Transition> transitions, Instant now) {
		return transitions.isEmpty() ? List.of() : this.session.write((work) -> {
			if (!work.mayLock()) {
				// Joined: the transaction is the application's.
				PostgresDialect.endWhenSilent(work.statements());
			}
			return new SettleOperation(work, transitions, now).run();
		});
	}

	@Override
	public BeatReply beat(WorkerBeat beat) {
		return this.reports.with(beat,
				() -> this.session.run((work) -> new PostgresBeatOperation(work, this.deliveries, beat)));
	}

	@Override
	public List<Changed> change(List<Change> changes, Instant now) {
		return this.session.write((work) -> new ChangeOperation(work, now).run(changes));
	}

	@Override
	public Pruned prune(PruneRequest request) {
		Pruned pruned = this.session.writePast(this.notRemoved,
				(work) -> new PruneOperation(work, this.deliveries.rows(), request).run());
		this.orphans.run(this.session, request.now());
		return pruned;
	}

	@Override
	public TickReply fireTick(Tick tick) {
		return this.session.write((work) -> new TickOperation(work, this.inserts, tick).run());
	}

	@Override
	public @Nullable Instant time() {
		Long time = this.session.read((statements) -> this.session.dialect().time(statements));
		return (time != null) ? EpochMillis.instant(time) : null;
	}

	@Override
	public Subscription listen(StoreListener listener) {
		return this.signals.listen(listener);
	}

	@Override
	public JobInspector inspector() {
		return new JdbcJobInspector(this.session, this.reader, this.notStarted.refusals());
	}

	@Override
	public JobReader reader() {
		return this.reader;
	}

}
