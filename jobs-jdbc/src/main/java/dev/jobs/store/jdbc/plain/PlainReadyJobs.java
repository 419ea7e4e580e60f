package dev.jobs.store.jdbc.plain;

import java.util.List;
import java.util.Map;
import java.util.Set;

import dev.jobs.store.ClaimRequest;
import dev.jobs.store.jdbc.operation.HeldJobs;
import dev.jobs.store.jdbc.operation.QueueSnapshot;
import dev.jobs.store.jdbc.operation.ReadyJobs;
import dev.jobs.store.jdbc.row.EpochMillis;
import dev.jobs.store.jdbc.row.StoredJob;
import dev.jobs.store.jdbc.sql.Dialect;
import dev.jobs.store.jdbc.sql.Statements;
import dev.jobs.store.jdbc.sql.UnitOfWork;
import dev.jobs.store.jdbc.worker.Workers;
import org.jspecify.annotations.Nullable;

/**
 * Finds ready jobs queue by queue, locks them and then holds them one by one.
 *
 * @param dialect the dialect of this database
 */
record PlainReadyJobs(Dialect dialect) implements ReadyJobs {

	@Override
	public @Nullable Map<String, QueueSnapshot> look(Statements statements, ClaimRequest request) {
		if (!new Workers(statements, EpochMillis.of(request.now())).isAlive(request.worker())) {
			return null;
		}
		return QueueSnapshot.of(statements, this.dialect,
				request.quotas().stream().map(ClaimRequest.Quota::queue).toList());
	}

	@Override
	public List<StoredJob> hold(UnitOfWork work, List<Wanted> wanted, int limit, String worker, long now) {
		return HeldJobs.hold(work, wanted, limit, worker, now);
	}

	@Override
	public Set<String> withReady(UnitOfWork work, Map<String, Long> queues) {
		return HeldJobs.withReady(work, queues.keySet());
	}

}
