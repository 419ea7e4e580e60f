package dev.jobs.store.jdbc;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

import dev.jobs.Enqueued;
import dev.jobs.store.BeatReply;
import dev.jobs.store.Change;
import dev.jobs.store.Changed;
import dev.jobs.store.ClaimReply;
import dev.jobs.store.ClaimRequest;
import dev.jobs.store.JobStore;
import dev.jobs.store.NewJob;
import dev.jobs.store.PruneRequest;
import dev.jobs.store.Pruned;
import dev.jobs.store.Save;
import dev.jobs.store.Settled;
import dev.jobs.store.StoreListener;
import dev.jobs.store.TakeOver;
import dev.jobs.store.Tick;
import dev.jobs.store.TickReply;
import dev.jobs.store.Transition;
import dev.jobs.store.WorkerBeat;
import dev.jobs.store.jdbc.operation.ChangeOperation;
import dev.jobs.store.jdbc.operation.DatabaseCalls;
import dev.jobs.store.jdbc.operation.PruneOperation;
import dev.jobs.store.jdbc.operation.TickOperation;
import dev.jobs.store.jdbc.read.JdbcJobInspector;
import dev.jobs.store.jdbc.row.EpochMillis;
import dev.jobs.store.jdbc.saved.SaveOperation;
import dev.jobs.store.jdbc.saved.SavedSweep;
import dev.jobs.store.jdbc.signal.Signals;
import dev.jobs.store.jdbc.sql.AutoCommitOperation;
import dev.jobs.store.jdbc.sql.Session;
import dev.jobs.store.jdbc.sql.UnitOfWork.RefusedRows;
import dev.jobs.store.jdbc.worker.OrphanRepair;
import dev.jobs.store.jdbc.worker.Reports;
import dev.jobs.store.support.Refusals;
import dev.jobs.store.view.JobInspector;

/**
 * Runs the calls of a store in a session, in the way of its database.
 */
class DatabaseStore implements JobStore {

	private final Supplier<Session> session;

	private final Supplier<DatabaseCalls> calls;

	private final Signals signals;

	private final JobInspector inspector;

	private final RefusedRows notStarted;

	private final RefusedRows notTakenOver;

	private final RefusedRows notRemoved;

	private final OrphanRepair orphans;

	private final SavedSweep sweep = new SavedSweep();

	private final Reports reports;

	/**
	 * Create a store.
	 * @param session returns its session once the database can be reached
	 * @param calls returns the calls on that database
	 * @param refusals the rows that the database refuses to change
	 * @param patience how long reading a list may take
	 */
	DatabaseStore(Supplier<Session> session, Supplier<DatabaseCalls> calls, Signals signals, Refusals refusals,
			Duration patience) {
		this.session = session;
		this.calls = calls;
		this.signals = signals;
		this.inspector = new JdbcJobInspector(session, () -> calls.get().reader(), refusals, patience);
		this.notStarted = new RefusedRows(refusals, "to start job");
		this.notTakenOver = new RefusedRows(refusals, "to take over job");
		this.notRemoved = new RefusedRows(refusals, "to remove job");
		this.orphans = new OrphanRepair(new RefusedRows(refusals, "to repair job"));
		this.reports = new Reports(session);
	}

	@Override
	public List<Enqueued> enqueue(List<NewJob> jobs, Instant now) {
		return jobs.isEmpty() ? List.of() : this.session.get().run((work) -> this.calls.get().enqueue(work, jobs, now));
	}

	@Override
	public ClaimReply claim(ClaimRequest request) {
		return this.session.get().runPast(this.notStarted, (work) -> this.calls.get().claim(work, request));
	}

	@Override
	public ClaimReply takeOver(TakeOver request) {
		return this.session.get().runPast(this.notTakenOver, (work) -> this.calls.get().takeOver(work, request));
	}

	@Override
	public List<Settled> settle(List<Transition> transitions, Instant now) {
		return transitions.isEmpty() ? List.of()
				: this.session.get().run((work) -> this.calls.get().settle(work, transitions, now));
	}

	@Override
	public List<Settled> save(List<Save> saves, Instant now) {
		return saves.isEmpty() ? List.of() : this.session.get()
			.run((work) -> AutoCommitOperation.of(true, new SaveOperation(work, saves, now)::run));
	}

	@Override
	public BeatReply beat(WorkerBeat beat) {
		return this.reports.with(beat, () -> this.session.get().run((work) -> this.calls.get().beat(work, beat)));
	}

	@Override
	public List<Changed> change(List<Change> changes, Instant now) {
		return this.session.get().write((work) -> new ChangeOperation(work, now).run(changes));
	}

	@Override
	public Pruned prune(PruneRequest request) {
		Pruned pruned = this.session.get()
			.writePast(this.notRemoved,
					(work) -> new PruneOperation(work, this.calls.get().reader().deliveries(), this.sweep, request)
						.run());
		this.orphans.run(this.session.get(), request.now());
		return pruned;
	}

	@Override
	public List<TickReply> fireTicks(List<Tick> ticks, Instant now) {
		return this.session.get()
			.write((work) -> new TickOperation(work, this.calls.get().inserts(), ticks, now).run());
	}

	@Override
	public Optional<Instant> time() {
		Session session = this.session.get();
		Long time = session.read((statements) -> session.dialect().time(statements));
		return Optional.ofNullable(time).map(EpochMillis::instant);
	}

	@Override
	public Subscription listen(StoreListener listener) {
		return this.signals.listen(listener);
	}

	@Override
	public JobInspector inspector() {
		return this.inspector;
	}

}
