package dev.jobs.store.jdbc.plain;

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
import dev.jobs.store.jdbc.operation.ClaimOperation;
import dev.jobs.store.jdbc.operation.EnqueueOperation;
import dev.jobs.store.jdbc.operation.JobInserts;
import dev.jobs.store.jdbc.operation.PruneOperation;
import dev.jobs.store.jdbc.operation.ReadyJobs;
import dev.jobs.store.jdbc.operation.SettleOperation;
import dev.jobs.store.jdbc.operation.TickOperation;
import dev.jobs.store.jdbc.read.DatabaseStore;
import dev.jobs.store.jdbc.read.JdbcJobInspector;
import dev.jobs.store.jdbc.read.JobReader;
import dev.jobs.store.jdbc.row.EpochMillis;
import dev.jobs.store.jdbc.signal.Signals;
import dev.jobs.store.jdbc.sql.Session;
import dev.jobs.store.jdbc.sql.UnitOfWork.RefusedRows;
import dev.jobs.store.jdbc.worker.BeatOperation;
import dev.jobs.store.jdbc.worker.DeliveryRows;
import dev.jobs.store.jdbc.worker.OrphanRepair;
import dev.jobs.store.jdbc.worker.Reports;
import dev.jobs.store.jdbc.worker.TakeOverOperation;
import org.jspecify.annotations.Nullable;

/**
 * A store by plain SQL, for H2, SQLite and MariaDB. Each call is a transaction.
 */
public final class PlainJobStore implements DatabaseStore {

	private final Session session;

	private final Signals signals;

	private final JobInserts inserts = new PlainJobInserts();

	private final ReadyJobs ready;

	private final JobReader reader = new PlainJobReader();

	private final RefusedRows notStarted;

	private final RefusedRows notTakenOver;

	private final RefusedRows notRemoved;

	private final OrphanRepair orphans;

	private final Reports reports;

	/**
	 * Create a store.
	 * @param refusals what the database refuses to change
	 */
	public PlainJobStore(Session session, Signals signals, Refusals refusals) {
		this.session = session;
		this.signals = signals;
		this.reports = new Reports(session);
		this.notStarted = new RefusedRows(refusals, "to start job");
		this.notTakenOver = new RefusedRows(refusals, "to take over job");
		this.notRemoved = new RefusedRows(refusals, "to remove job");
		this.orphans = new OrphanRepair(new RefusedRows(refusals, "to repair job"));
		this.ready = new PlainReadyJobs();
	}

	@Override
	public List<Enqueued> enqueue(List<NewJob> jobs, Instant now) {
		return jobs.isEmpty() ? List.of()
				: this.session.write((work) -> new EnqueueOperation(work, this.inserts, jobs, now).run());
	}

	@Override
	public ClaimReply claim(ClaimRequest request) {
		return this.session.writePast(this.notStarted,
				(work) -> new ClaimOperation(work, this.ready, DeliveryRows.ALL, request).run());
	}

	@Override
	public ClaimReply takeOver(TakeOver request) {
		return this.session.writePast(this.notTakenOver,
				(work) -> new TakeOverOperation(work, DeliveryRows.ALL, request).run());
	}

	@Override
	public List<Settled> settle(List<Transition> transitions, Instant now) {
		return transitions.isEmpty() ? List.of()
				: this.session.write((work) -> new SettleOperation(work, transitions, now).run());
	}

	@Override
	public BeatReply beat(WorkerBeat beat) {
		return this.reports.with(beat,
				() -> this.session.write((work) -> new BeatOperation(work, DeliveryRows.ALL, beat).run()));
	}

	@Override
	public List<Changed> change(List<Change> changes, Instant now) {
		return this.session.write((work) -> new ChangeOperation(work, now).run(changes));
	}

	@Override
	public Pruned prune(PruneRequest request) {
		Pruned pruned = this.session.writePast(this.notRemoved,
				(work) -> new PruneOperation(work, DeliveryRows.ALL, request).run());
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
