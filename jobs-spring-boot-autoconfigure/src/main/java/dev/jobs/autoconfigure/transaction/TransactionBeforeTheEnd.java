package dev.jobs.autoconfigure.transaction;

import dev.jobs.Handler;
import dev.jobs.JobContext;
import dev.jobs.JobResult;
import dev.jobs.engine.run.HandlerTransactions;
import dev.jobs.engine.run.HandlerTransactions.End;
import dev.jobs.engine.run.HandlerTransactions.Fate;
import dev.jobs.engine.settings.HandlerDefinition;
import org.jspecify.annotations.Nullable;

/**
 * Runs a transactional handler whose jobs are kept in memory, as in a test: the
 * transaction is committed before the job ends, since memory cannot join it.
 *
 * @param <T> the payload type
 */
public final class TransactionBeforeTheEnd<T extends @Nullable Object> implements Handler<T> {

	private final Handler<T> handler;

	private final HandlerTransactions transactions;

	private TransactionBeforeTheEnd(Handler<T> handler, HandlerTransactions transactions) {
		this.handler = handler;
		this.transactions = transactions;
	}

	/**
	 * Return a definition that begins and commits its transactions by itself.
	 * @param definition the definition of a transactional handler
	 * @param transactions the transactions
	 * @return the changed definition
	 */
	public static HandlerDefinition of(HandlerDefinition definition, HandlerTransactions transactions) {
		return new HandlerDefinition(definition.name(), definition.aliases(), definition.payloadType(),
				definition.payloadNeeded(), new TransactionBeforeTheEnd<>(definition.handler(), transactions),
				definition.options().with((options) -> options.transactional(false)), definition.rule(),
				definition.origin());
	}

	@Override
	public JobResult handle(T payload, JobContext context) throws Exception {
		Work work = new Work(payload, context);
		End end = this.transactions.run(work::succeeds);
		if (work.failure != null) {
			throw work.failure;
		}
		if (end.fate() != Fate.COMMITTED) {
			throw new IllegalStateException("The transaction of the run was not committed", end.cause());
		}
		return (work.result != null) ? work.result : JobResult.done();
	}

	private final class Work {

		private final T payload;

		private final JobContext context;

		private @Nullable JobResult result;

		private @Nullable Exception failure;

		Work(T payload, JobContext context) {
			this.payload = payload;
			this.context = context;
		}

		boolean succeeds() {
			try {
				this.result = TransactionBeforeTheEnd.this.handler.handle(this.payload, this.context);
				return true;
			}
			catch (Exception ex) {
				this.failure = ex;
				return false;
			}
		}

	}

}
