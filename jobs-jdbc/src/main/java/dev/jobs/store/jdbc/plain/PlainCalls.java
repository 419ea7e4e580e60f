package dev.jobs.store.jdbc.plain;

import java.time.Instant;
import java.util.List;

import dev.jobs.Enqueued;
import dev.jobs.store.BeatReply;
import dev.jobs.store.ClaimReply;
import dev.jobs.store.ClaimRequest;
import dev.jobs.store.NewJob;
import dev.jobs.store.Settled;
import dev.jobs.store.TakeOver;
import dev.jobs.store.Transition;
import dev.jobs.store.WorkerBeat;
import dev.jobs.store.jdbc.operation.ClaimOperation;
import dev.jobs.store.jdbc.operation.DatabaseCalls;
import dev.jobs.store.jdbc.operation.EnqueueOperation;
import dev.jobs.store.jdbc.operation.JobInserts;
import dev.jobs.store.jdbc.operation.SettleOperation;
import dev.jobs.store.jdbc.read.JobReader;
import dev.jobs.store.jdbc.sql.AutoCommitOperation;
import dev.jobs.store.jdbc.sql.UnitOfWork;
import dev.jobs.store.jdbc.worker.BeatOperation;
import dev.jobs.store.jdbc.worker.DeliveryRows;
import dev.jobs.store.jdbc.worker.TakeOverOperation;

/**
 * Calls by plain SQL, for H2, SQLite and MariaDB. Each is a transaction.
 */
public final class PlainCalls implements DatabaseCalls {

	private final JobInserts inserts = new PlainJobInserts();

	private final JobReader reader = new PlainJobReader();

	@Override
	public AutoCommitOperation<List<Enqueued>> enqueue(UnitOfWork work, List<NewJob> jobs, Instant now) {
		return new EnqueueOperation(work, this.inserts, jobs, now)::run;
	}

	@Override
	public AutoCommitOperation<ClaimReply> claim(UnitOfWork work, ClaimRequest request) {
		return new ClaimOperation(work, new PlainReadyJobs(work.dialect()), DeliveryRows.ALL, request)::run;
	}

	@Override
	public AutoCommitOperation<ClaimReply> takeOver(UnitOfWork work, TakeOver request) {
		return new TakeOverOperation(work, DeliveryRows.ALL, request)::run;
	}

	@Override
	public AutoCommitOperation<List<Settled>> settle(UnitOfWork work, List<Transition> transitions, Instant now) {
		return new SettleOperation(work, transitions, now, false)::run;
	}

	@Override
	public AutoCommitOperation<BeatReply> beat(UnitOfWork work, WorkerBeat beat) {
		return new BeatOperation(work, DeliveryRows.ALL, beat)::run;
	}

	@Override
	public JobInserts inserts() {
		return this.inserts;
	}

	@Override
	public JobReader reader() {
		return this.reader;
	}

}
