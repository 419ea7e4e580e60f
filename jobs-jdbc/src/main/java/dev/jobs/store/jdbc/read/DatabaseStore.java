package dev.jobs.store.jdbc.read;

import dev.jobs.store.JobStore;

/**
 * A store on one kind of database.
 */
public interface DatabaseStore extends JobStore {

	/**
	 * Return what reads its lists.
	 */
	JobReader reader();

}
