package dev.jobs.store.jdbc.operation;

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
import dev.jobs.store.jdbc.read.JobReader;
import dev.jobs.store.jdbc.sql.AutoCommitOperation;
import dev.jobs.store.jdbc.sql.UnitOfWork;

/**
 * The calls of a store that differ between databases, each an operation for one try.
 */
public interface DatabaseCalls {

	AutoCommitOperation<List<Enqueued>> enqueue(UnitOfWork work, List<NewJob> jobs, Instant now);

	AutoCommitOperation<ClaimReply> claim(UnitOfWork work, ClaimRequest request);

	AutoCommitOperation<ClaimReply> takeOver(UnitOfWork work, TakeOver request);

	AutoCommitOperation<List<Settled>> settle(UnitOfWork work, List<Transition> transitions, Instant now);

	AutoCommitOperation<BeatReply> beat(UnitOfWork work, WorkerBeat beat);

	/**
	 * Return the inserts of jobs.
	 */
	JobInserts inserts();

	/**
	 * Return the reader of lists.
	 */
	JobReader reader();

}
