package dev.jobs.store.jdbc.postgres;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

import dev.jobs.store.ClaimReply;
import dev.jobs.store.ClaimReply.Left;
import dev.jobs.store.ClaimRequest;
import dev.jobs.store.ClaimRequest.Quota;
import dev.jobs.store.jdbc.operation.ClaimOperation;
import dev.jobs.store.jdbc.operation.QueueSnapshot;
import dev.jobs.store.jdbc.operation.ReadyJobs.Wanted;
import dev.jobs.store.jdbc.postgres.PostgresReadyJobs.FirstLook;
import dev.jobs.store.jdbc.row.EpochMillis;
import dev.jobs.store.jdbc.row.StoredJob;
import dev.jobs.store.jdbc.sql.AutoCommitOperation;
import dev.jobs.store.jdbc.sql.Faults;
import dev.jobs.store.jdbc.sql.UnitOfWork;
import dev.jobs.store.jdbc.worker.DeliveryRows;
import org.jspecify.annotations.Nullable;

import org.springframework.dao.DataAccessException;
import org.springframework.transaction.TransactionSystemException;

/**
 * One claim in PostgreSQL: a statement reads the queues and holds their ready jobs. A
 * transaction follows only to count for a limit, make due jobs ready or signal room.
 */
final class PostgresClaimOperation implements AutoCommitOperation<ClaimReply> {

	private final UnitOfWork work;

	private final PostgresReadyJobs ready;

	private final DeliveryRows deliveries;

	private final ClaimRequest request;

	private final long now;

	/** The queues that the first statement read, if a transaction is needed. */
	private @Nullable Map<String, QueueSnapshot> seen;

	PostgresClaimOperation(UnitOfWork work, PostgresReadyJobs ready, DeliveryRows deliveries, ClaimRequest request) {
		this.work = work;
		this.ready = ready;
		this.deliveries = deliveries;
		this.request = request;
		this.now = EpochMillis.of(request.now());
	}

	@Override
	public @Nullable ClaimReply runWithoutTransaction() {
		boolean limited = this.request.quotas()
			.stream()
			.anyMatch((quota) -> quota.maxRunning() > 0 || quota.rates() != null);
		FirstLook first = lookAndHold(Math.max(this.request.limit(), 0), this.request.quotas()
			.stream()
			.map((quota) -> new Wanted(quota.queue(), limited ? 0 : Math.max(Math.min(quota.share(), most(quota)), 0)))
			.toList());
		if (!first.held().isEmpty()) {
			return holdMore(first);
		}
		if (this.request.quotas().stream().anyMatch((quota) -> mayGive(quota, first.seen().get(quota.queue())))) {
			this.seen = first.seen();
			return null;
		}
		return ClaimOperation.nothing(this.request, first.seen());
	}

	private FirstLook lookAndHold(int limit, List<Wanted> wanted) {
		return this.ready.lookAndHold(this.work.statements(), this.request, wanted, limit);
	}

	private int most(Quota quota) {
		return Math.max(Math.min(quota.most(), this.request.limit()), 0);
	}

	private boolean mayGive(Quota quota, @Nullable QueueSnapshot queue) {
		return queue != null && (queue.isDue(this.now) || queue.isGated(quota, this.now)
				|| ((queue.mayHaveReady() || queue.lanes()) && !queue.paused()));
	}

	/**
	 * Hold jobs beyond the shares of the queues. If this fails, it is as if the reply got
	 * lost: the next beats find the jobs held already. A row that the database refuses is
	 * left to the next claim, which skips it.
	 */
	private ClaimReply holdMore(FirstLook first) {
		List<StoredJob> held = new ArrayList<>(first.held());
		Set<String> more = new LinkedHashSet<>(first.more());
		int limit = this.request.limit() - held.size();
		List<Wanted> wanted = beyondShares(first);
		if (limit > 0 && !wanted.isEmpty()) {
			try {
				FirstLook second = lookAndHold(limit, wanted);
				wanted.forEach((each) -> more.remove(each.queue()));
				more.addAll(second.more());
				held.addAll(second.held());
			}
			catch (DataAccessException ex) {
				if (!Faults.isOfRow(ex)) {
					throw new TransactionSystemException("A part of the claim failed", ex);
				}
			}
		}
		return new ClaimReply(ClaimOperation.claims(this.request, held), this.request.quotas().stream().map((quota) -> {
			QueueSnapshot queue = QueueSnapshot.of(first.seen(), quota.queue());
			return new Left(quota.queue(), more.contains(quota.queue()) && !queue.paused(),
					ClaimOperation.instant(queue.firstDue()), quota.after());
		}).toList());
	}

	private List<Wanted> beyondShares(FirstLook first) {
		Map<String, Integer> given = new HashMap<>();
		first.held().forEach((job) -> given.merge(job.queue(), 1, Integer::sum));
		return this.request.quotas()
			.stream()
			.filter((quota) -> first.more().contains(quota.queue()))
			.map((quota) -> new Wanted(quota.queue(), most(quota) - given.getOrDefault(quota.queue(), 0)))
			.filter((wanted) -> wanted.count() > 0)
			.toList();
	}

	@Override
	public ClaimReply run() {
		ClaimOperation claim = new ClaimOperation(this.work, this.ready, this.deliveries, this.request);
		return (this.seen != null) ? claim.run(this.seen) : claim.run();
	}

}
