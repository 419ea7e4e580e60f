package dev.jobs.test;

import dev.jobs.engine.settings.EnqueueGate;

import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Knows of enqueues that wait for the commit of a Spring transaction.
 */
final class HeldEnqueues {

	private static final boolean THERE_MAY_BE_TRANSACTIONS = isPresent(
			"org.springframework.transaction.support.TransactionSynchronizationManager");

	private HeldEnqueues() {
	}

	private static boolean isPresent(String type) {
		try {
			Class.forName(type, false, HeldEnqueues.class.getClassLoader());
			return true;
		}
		catch (ClassNotFoundException ex) {
			return false;
		}
	}

	/**
	 * Return whether the calling thread's transaction holds enqueues.
	 */
	static boolean any() {
		return THERE_MAY_BE_TRANSACTIONS && Transaction.holdsAny();
	}

	/**
	 * Kept apart, since Spring's transactions need not be on the classpath.
	 */
	private static final class Transaction {

		/** The gate binds held enqueues under their outlet. */
		static boolean holdsAny() {
			return TransactionSynchronizationManager.getResourceMap()
				.keySet()
				.stream()
				.anyMatch(EnqueueGate.Outlet.class::isInstance);
		}

	}

}
