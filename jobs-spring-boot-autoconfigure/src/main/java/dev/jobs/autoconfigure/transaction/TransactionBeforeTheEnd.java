package dev.jobs.autoconfigure.transaction;

import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;

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
		AtomicReference<@Nullable JobResult> result = new AtomicReference<>();
		AtomicReference<@Nullable Exception> failure = new AtomicReference<>();
		End end = this.transactions.run(() -> {
			try {
				result.set(this.handler.handle(payload, context));
				return true;
			}
			catch (Exception ex) {
				failure.set(ex);
				return false;
			}
		});
		Exception failed = failure.get();
		if (failed != null) {
			throw failed;
		}
		if (end.fate() == Fate.NOT_BEGUN) {
			return end.postponed("its transaction");
		}
		if (end.fate() != Fate.COMMITTED) {
			throw new IllegalStateException("The transaction of the run was not committed", end.cause());
		}
		return Objects.requireNonNullElse(result.get(), JobResult.done());
	}

}
