package dev.jobs.store.jdbc;

import dev.jobs.store.ClaimReply;
import dev.jobs.store.TakeOver;
import org.jspecify.annotations.Nullable;

/**
 * One takeover in PostgreSQL: whether any worker has vanished is found by one statement.
 */
final class PostgresTakeOverOperation implements AutoCommitOperation<ClaimReply> {

	private final UnitOfWork work;

	private final MarkCheck check;

	private final LiveDeliveries deliveries;

	private final TakeOver request;

	PostgresTakeOverOperation(UnitOfWork work, MarkCheck check, LiveDeliveries deliveries, TakeOver request) {
		this.work = work;
		this.check = check;
		this.deliveries = deliveries;
		this.request = request;
	}

	@Override
	public @Nullable ClaimReply runWithoutTransaction() {
		this.check.run(this.work.statements(), EpochMillis.of(this.request.now()));
		return (this.request.ownTokens().isEmpty() && !takeOver().hasAbandoned()) ? TakeOverOperation.NOTHING : null;
	}

	private TakeOverOperation takeOver() {
		return new TakeOverOperation(this.work, this.deliveries.rows(), this.request);
	}

	@Override
	public ClaimReply run() {
		return takeOver().run();
	}

}
