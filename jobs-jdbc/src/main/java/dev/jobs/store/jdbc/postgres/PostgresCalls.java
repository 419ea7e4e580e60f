package dev.jobs.store.jdbc.postgres;

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
import dev.jobs.store.jdbc.operation.DatabaseCalls;
import dev.jobs.store.jdbc.operation.EnqueueOperation;
import dev.jobs.store.jdbc.operation.JobInserts;
import dev.jobs.store.jdbc.postgres.mark.LiveDeliveries;
import dev.jobs.store.jdbc.postgres.mark.LowWaterMarks;
import dev.jobs.store.jdbc.postgres.mark.MarkCheck;
import dev.jobs.store.jdbc.read.JobReader;
import dev.jobs.store.jdbc.sql.AutoCommitOperation;
import dev.jobs.store.jdbc.sql.UnitOfWork;

/**
 * Calls in PostgreSQL. Most are one statement over arrays that commits itself. Claims and
 * beats read from a low-water mark, below which there are no ready jobs and no
 * deliveries. The time to read operators' lists hardly grows with the tables.
 */
public final class PostgresCalls implements DatabaseCalls {

	private final LowWaterMarks marks = new LowWaterMarks();

	private final LiveDeliveries deliveries = new LiveDeliveries();

	private final MarkCheck check = new MarkCheck(this.marks, this.deliveries);

	private final JobInserts inserts = new PostgresJobInserts();

	private final PostgresReadyJobs ready = new PostgresReadyJobs(this.marks);

	private final JobReader reader = new PostgresJobReader(this.marks, this.deliveries);

	@Override
	public AutoCommitOperation<List<Enqueued>> enqueue(UnitOfWork work, List<NewJob> jobs, Instant now) {
		return AutoCommitOperation.of(jobs.stream().allMatch(EnqueueOperation::isOneInsert),
				new EnqueueOperation(work, this.inserts, jobs, now)::run);
	}

	@Override
	public AutoCommitOperation<ClaimReply> claim(UnitOfWork work, ClaimRequest request) {
		return new PostgresClaimOperation(work, this.ready, this.deliveries.rows(), request);
	}

	@Override
	public AutoCommitOperation<ClaimReply> takeOver(UnitOfWork work, TakeOver request) {
		return new PostgresTakeOverOperation(work, this.check, this.deliveries, request);
	}

	@Override
	public AutoCommitOperation<List<Settled>> settle(UnitOfWork work, List<Transition> transitions, Instant now) {
		return new PostgresSettleOperation(work, transitions, now);
	}

	@Override
	public AutoCommitOperation<BeatReply> beat(UnitOfWork work, WorkerBeat beat) {
		return new PostgresBeatOperation(work, this.deliveries, beat);
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
