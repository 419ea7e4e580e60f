package dev.jobs.benchmarks;

import java.util.Collection;
import java.util.Map;

import dev.jobs.store.JobStore;
import dev.jobs.store.QueueView;

/**
 * Where stores come from.
 */
interface Stores extends AutoCloseable {

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
	 * Hold on to what can be seen now, for as long as the snapshot is open.
	 * @param isWanted whether to do so
	 * @return the snapshot
	 * @throws UnsupportedOperationException if nothing of the kind can be done here
	 */
	default Snapshot snapshot(boolean isWanted) {
		if (isWanted) {
			throw new UnsupportedOperationException("There are no snapshots here");
		}
		return () -> {
		};
	}

	/**
	 * Return what is measured with workers in other processes.
	 * @return the measurements
	 */
	Processes processes();

	/**
	 * Return what is measured of the server's memory.
	 * @return the measurement
	 */
	Footprint footprint();

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
	 * Sees what was there when it was opened.
	 */
	interface Snapshot extends AutoCloseable {

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
