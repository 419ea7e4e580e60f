package dev.jobs.store.jdbc;

import dev.jobs.store.JobStore;

/**
 * A store on one kind of database.
 */
interface DatabaseStore extends JobStore {

	/**
	 * Return what reads its lists.
	 */
	JobReader reader();

}
