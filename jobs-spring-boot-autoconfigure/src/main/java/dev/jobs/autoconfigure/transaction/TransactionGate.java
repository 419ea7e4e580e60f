package dev.jobs.autoconfigure.transaction;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import dev.jobs.engine.settings.EnqueueGate;

import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Holds enqueues back until the Spring transaction of the calling thread has been
 * committed. A suspended transaction keeps its own enqueues.
 */
final class TransactionGate implements EnqueueGate {

	@Override
	public boolean inTransaction() {
		return TransactionSynchronizationManager.isSynchronizationActive()
				&& TransactionSynchronizationManager.isActualTransactionActive();
	}

	@Override
	public <T> void hold(List<T> enqueues, Outlet<T> outlet) {
		if (TransactionSynchronizationManager.getResource(outlet) instanceof Held<?> held) {
			held.addAll(enqueues);
			return;
		}
		Held<T> held = new Held<>(outlet);
		held.addAll(enqueues);
		held.bind();
		TransactionSynchronizationManager.registerSynchronization(held);
	}

	/**
	 * The enqueues that one transaction holds. Enqueues of callbacks after the commit are
	 * held again and written when the transaction is completed.
	 *
	 * @param <T> an enqueue
	 */
	private static final class Held<T> implements TransactionSynchronization {

		private final Outlet<T> outlet;

		private final Map<Object, Integer> savepoints = new HashMap<>();

		private List<Object> enqueues = new ArrayList<>();

		private boolean suspended;

		Held(Outlet<T> outlet) {
			this.outlet = outlet;
		}

		void addAll(List<?> more) {
			this.enqueues.addAll(more);
		}

		void bind() {
			TransactionSynchronizationManager.bindResource(this.outlet, this);
		}

		@Override
		public void suspend() {
			this.suspended = unbind();
		}

		@Override
		public void resume() {
			if (this.suspended) {
				bind();
			}
		}

		private boolean unbind() {
			boolean bound = TransactionSynchronizationManager.getResource(this.outlet) == this;
			if (bound) {
				TransactionSynchronizationManager.unbindResource(this.outlet);
			}
			return bound;
		}

		@Override
		public void savepoint(Object savepoint) {
			this.savepoints.put(savepoint, this.enqueues.size());
		}

		/**
		 * Forget the enqueues since a savepoint, or all of them if the savepoint is older
		 * than the first.
		 */
		@Override
		public void savepointRollback(Object savepoint) {
			int kept = this.savepoints.getOrDefault(savepoint, 0);
			this.enqueues.subList(Math.min(kept, this.enqueues.size()), this.enqueues.size()).clear();
		}

		/**
		 * Unbind from the thread; the completion itself may take place on another.
		 */
		@Override
		public void beforeCompletion() {
			unbind();
		}

		@Override
		public void afterCommit() {
			if (!this.enqueues.isEmpty()) {
				this.outlet.write(take());
			}
		}

		/**
		 * Write the remaining enqueues even if a callback before this one has failed.
		 */
		@Override
		public void afterCompletion(int status) {
			unbind();
			if (this.enqueues.isEmpty() || status == STATUS_ROLLED_BACK) {
				return;
			}
			if (status == STATUS_COMMITTED) {
				this.outlet.write(take());
			}
			else {
				this.outlet.giveUp(take());
			}
		}

		@SuppressWarnings("unchecked") // the outlet is the key under which they were held
		private List<T> take() {
			List<T> taken = (List<T>) List.copyOf(this.enqueues);
			this.enqueues = new ArrayList<>();
			return taken;
		}

	}

}
