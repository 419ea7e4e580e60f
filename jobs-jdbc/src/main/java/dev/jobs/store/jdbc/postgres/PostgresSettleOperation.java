package dev.jobs.store.jdbc.postgres;

import java.time.Instant;
import java.util.List;

import dev.jobs.store.Settled;
import dev.jobs.store.Transition;
import dev.jobs.store.Transition.To;
import dev.jobs.store.jdbc.operation.SettleOperation;
import dev.jobs.store.jdbc.sql.AutoCommitOperation;
import dev.jobs.store.jdbc.sql.UnitOfWork;

/**
 * One settle in PostgreSQL. Jobs that leave nothing are deleted by one statement.
 *
 * @param work its statements
 * @param transitions what becomes of the jobs
 * @param now the time
 */
record PostgresSettleOperation(UnitOfWork work, List<Transition> transitions,
		Instant now) implements AutoCommitOperation<List<Settled>> {

	@Override
	public boolean mayDoWithoutTransaction() {
		return this.transitions.stream().allMatch((transition) -> transition.to() == To.REMOVED && !transition.saved());
	}

	@Override
	public List<Settled> runWithoutTransaction() {
		return settle(true);
	}

	@Override
	public List<Settled> run() {
		if (!this.work.mayLock()) {
			// In a joined transaction, which is the application's.
			PostgresDialect.endWhenSilent(this.work.statements());
		}
		return settle(false);
	}

	private List<Settled> settle(boolean committed) {
		return new SettleOperation(this.work, this.transitions, this.now, committed).run();
	}

}
