package dev.jobs.store.jdbc.postgres;

import java.util.List;

import dev.jobs.Enqueued;
import dev.jobs.store.NewJob;
import dev.jobs.store.jdbc.operation.EnqueueOperation;
import dev.jobs.store.jdbc.sql.AutoCommitOperation;
import org.jspecify.annotations.Nullable;

/**
 * One enqueue in PostgreSQL: jobs that no rule can keep out are inserted by one
 * statement.
 *
 * @param jobs the jobs
 * @param enqueue the enqueue of the same jobs
 */
record PostgresEnqueueOperation(List<NewJob> jobs,
		EnqueueOperation enqueue) implements AutoCommitOperation<List<Enqueued>> {

	@Override
	public @Nullable List<Enqueued> runWithoutTransaction() {
		return this.jobs.stream().allMatch(EnqueueOperation::isPlain) ? run() : null;
	}

	@Override
	public List<Enqueued> run() {
		return this.enqueue.run();
	}

}
