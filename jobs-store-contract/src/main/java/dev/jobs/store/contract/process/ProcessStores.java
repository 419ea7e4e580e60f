package dev.jobs.store.contract.process;

import dev.jobs.engine.JobEngineBuilder;
import dev.jobs.store.JobStore;
import dev.jobs.store.Outbox;

/**
 * Opens the stores of the processes that tests start. Tests that start processes name
 * theirs in {@code META-INF/services}.
 */
public interface ProcessStores {

	/**
	 * Open the store that a process works on.
	 * @param server where the server is
	 * @param namespace the namespace, or the prefix of the tables
	 * @return the store
	 */
	JobStore open(String server, String namespace);

	/**
	 * Open the outbox that a process relays.
	 * @param server the URL of the database
	 * @param prefix the prefix of the tables
	 * @return the outbox
	 */
	default Outbox openOutbox(String server, String prefix) {
		throw new UnsupportedOperationException("There is no outbox here");
	}

	/**
	 * Open the data that steps write to in transactions.
	 * @param server the URL of its database
	 * @param marks whether marks of steps are kept beside it
	 * @return the data
	 */
	default Data openData(String server, boolean marks) {
		throw new UnsupportedOperationException("There is no data here");
	}

	/**
	 * The data of an application.
	 */
	interface Data {

		/**
		 * Have the engine commit steps together with this data.
		 */
		void connect(JobEngineBuilder builder);

		/**
		 * Write a row, as a part of the calling thread's transaction.
		 */
		void write(String row);

	}

}
