package dev.jobs.benchmarks.store;

import java.util.Collection;
import java.util.Map;

import dev.jobs.benchmarks.load.Crowd;
import dev.jobs.benchmarks.load.StoreJobs;
import dev.jobs.store.JobStore;
import dev.jobs.store.view.QueueView;

/**
 * Where stores come from.
 */
public interface Stores extends AutoCloseable {

	/**
	 * Open an empty store.
	 * @return the store
	 */
	Opened open();

	/**
	 * Begin to count what reaches the server from now on.
	 * @return the counters
	 */
	Watch watch();

	/**
	 * Return the longest script since the last call.
	 * @return the time in nanoseconds; -1 if it is not known
	 */
	default long slowest() {
		return -1;
	}

	/**
	 * Begin the transactions of others that run meanwhile.
	 * @param crowd which
	 * @return the transactions
	 * @throws UnsupportedOperationException if there are no such transactions here
	 */
	default Others others(Crowd crowd) {
		if (crowd.snapshot() || crowd.writer()) {
			throw new UnsupportedOperationException("There are no transactions here");
		}
		return () -> {
		};
	}

	@Override
	void close();

	/**
	 * An open store. Closing it removes all that it holds.
	 */
	interface Opened extends AutoCloseable {

		JobStore store();

		/**
		 * Count the jobs that run.
		 * @param queues in which queues
		 * @return how many there are
		 */
		default long running(Collection<String> queues) {
			return store().inspector()
				.queues(StoreJobs.now())
				.stream()
				.filter((queue) -> queues.contains(queue.name()))
				.mapToLong(QueueView::running)
				.sum();
		}

		/**
		 * Have done what the server would do some time after so much was stored, so that
		 * it does not do so while something is measured.
		 */
		default void cleanUp() {
		}

		@Override
		void close();

	}

	/**
	 * Transactions of others, which end when they are closed.
	 */
	interface Others extends AutoCloseable {

		@Override
		void close();

	}

	/**
	 * Counts what reaches a server.
	 */
	interface Watch extends AutoCloseable {

		/**
		 * Return what was counted so far.
		 * @return the numbers by what is counted
		 */
		Map<String, Long> counts();

		@Override
		void close();

	}

}
