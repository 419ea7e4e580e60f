package dev.jobs.store.jdbc.operation;

import java.util.List;
import java.util.Set;

import dev.jobs.store.NewJob;
import dev.jobs.store.jdbc.sql.UnitOfWork;

/**
 * Inserts jobs that no rule can refuse.
 */
public interface JobInserts {

	/**
	 * Insert jobs and make sure that their queues have rows.
	 * @return the ids of the new jobs
	 */
	Set<String> insert(UnitOfWork work, List<NewJob> jobs, long now);

}
