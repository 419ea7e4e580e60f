package dev.jobs.engine.settings;

import java.util.List;

/**
 * Holds enqueues back while the calling thread is in a transaction, until its outcome is
 * known. If the store {@linkplain dev.jobs.store.TransactionalJobStore joins} the
 * transaction, it holds back only their events. Safe for use by many threads.
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
	 * Return whether the calling thread is in a transaction whose outcome is not known
	 * yet.
	 * @return {@code true} if enqueues are to be held
	 */
	boolean inTransaction();

	/**
	 * Hold enqueues. The enqueues of a transaction go to the outlet together and in order
	 * once it has been committed, and are forgotten if it is rolled back.
	 * @param <T> an enqueue
	 * @param enqueues the enqueues
	 * @param outlet where they go
	 */
	<T> void hold(List<T> enqueues, Outlet<T> outlet);

	/**
	 * Where held enqueues go. It throws nothing.
	 *
	 * @param <T> an enqueue
	 */
	interface Outlet<T> {

		/**
		 * Write enqueues, because their transaction has been committed.
		 */
		void write(List<T> enqueues);

		/**
		 * Give enqueues up, because nobody knows whether their transaction was committed.
		 */
		void giveUp(List<T> enqueues);

	}

}
