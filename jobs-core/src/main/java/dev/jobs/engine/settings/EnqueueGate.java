package dev.jobs.engine.settings;

import java.util.List;

/**
 * Holds enqueues back while the calling thread is in a transaction, until its outcome is
 * known. Where the store {@linkplain dev.jobs.store.TransactionalJobStore joins} the
 * transaction, only what there is to publish about them. Safe for use by many threads.
 */
public interface EnqueueGate {

	/** The gate of applications without transactions: nothing is held or joined. */
	EnqueueGate NO_TRANSACTION = new EnqueueGate() {

		@Override
		public boolean inTransaction() {
			return false;
		}

		@Override
		public <T> void hold(List<T> enqueues, Outlet<T> outlet) {
			outlet.write(enqueues);
		}

	};

	/**
	 * Return whether the calling thread is in a transaction whose outcome has to be
	 * waited for.
	 * @return {@code true} if enqueues are to be held
	 */
	boolean inTransaction();

	/**
	 * Hold enqueues. What one transaction enqueues goes to the outlet together and in
	 * order once it has been committed, and is forgotten if it is rolled back.
	 * @param <T> an enqueue
	 * @param enqueues the enqueues
	 * @param outlet where they go
	 */
	<T> void hold(List<T> enqueues, Outlet<T> outlet);

	/**
	 * Where enqueues go in the end. It throws nothing.
	 *
	 * @param <T> an enqueue
	 */
	interface Outlet<T> {

		/**
		 * Write enqueues, since their transaction has been committed.
		 */
		void write(List<T> enqueues);

		/**
		 * Give enqueues up, since nobody knows what became of their transaction.
		 */
		void giveUp(List<T> enqueues);

	}

}
