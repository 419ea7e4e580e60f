package dev.jobs.store.jdbc.postgres;

import dev.jobs.store.ClaimReply;
import dev.jobs.store.TakeOver;
import dev.jobs.store.jdbc.postgres.mark.LiveDeliveries;
import dev.jobs.store.jdbc.postgres.mark.MarkCheck;
import dev.jobs.store.jdbc.row.EpochMillis;
import dev.jobs.store.jdbc.sql.AutoCommitOperation;
import dev.jobs.store.jdbc.sql.UnitOfWork;
import dev.jobs.store.jdbc.worker.TakeOverOperation;
import org.jspecify.annotations.Nullable;

/**
 * One takeover in PostgreSQL. One statement finds whether any worker has vanished.
 */
record PostgresTakeOverOperation(UnitOfWork work, MarkCheck check, LiveDeliveries deliveries,
		TakeOver request) implements AutoCommitOperation<ClaimReply> {

	@Override
	public @Nullable ClaimReply runWithoutTransaction() {
		this.check.run(this.work.statements(), EpochMillis.of(this.request.now()));
		return (this.request.strays().isEmpty() && !takeOver().hasAbandoned()) ? TakeOverOperation.NOTHING : null;
	}

	private TakeOverOperation takeOver() {
		return new TakeOverOperation(this.work, this.deliveries.rows(), this.request);
	}

	@Override
	public ClaimReply run() {
		return takeOver().run();
	}

}
