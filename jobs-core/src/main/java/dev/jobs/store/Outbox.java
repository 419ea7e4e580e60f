package dev.jobs.store;

import java.time.Instant;
import java.util.List;
import java.util.Set;

import dev.jobs.JobStoreException;
import org.jspecify.annotations.Nullable;

/**
 * Keeps new jobs where the application keeps its data, until they are carried to the
 * store of the jobs. Faults are {@link JobStoreException}s, as a store's are.
 */
public interface Outbox {

	/**
	 * Write jobs as a part of the calling thread's transaction, so that they are
	 * committed or rolled back with it. After a fault the transaction can no longer be
	 * committed.
	 * @return whether the jobs were written; if not, there is no transaction to write
	 * them in
	 */
	boolean write(List<NewJob> jobs);

	/**
	 * Hand committed jobs over in the order in which they were written, and remove those
	 * that have arrived. Where rows can be locked, no job is handed over twice at the
	 * same time. A job may be handed over again if it did not arrive, or if this fails
	 * afterwards. A job that cannot be read is set aside: marked with its problem and not
	 * handed over.
	 * @param limit how many at most
	 * @param queues the queues whose jobs are skipped
	 * @param ids the ids of jobs that are skipped
	 * @param delivery takes the jobs
	 * @return how many jobs were found, readable or not
	 */
	int relay(int limit, Set<String> queues, Set<String> ids, Delivery delivery);

	/**
	 * Count the jobs in this outbox.
	 */
	Contents contents();

	/**
	 * Takes jobs that are handed over.
	 */
	@FunctionalInterface
	interface Delivery {

		/**
		 * Take jobs. It throws nothing.
		 * @return for each job, in their order, whether it has arrived
		 */
		List<Boolean> take(List<NewJob> jobs);

	}

	/**
	 * The contents of an outbox.
	 *
	 * @param waiting how many jobs wait to be carried over
	 * @param setAside how many cannot be read and need an operator
	 * @param oldest when the oldest waiting job was enqueued, or {@code null}
	 */
	record Contents(long waiting, long setAside, @Nullable Instant oldest) {

	}

}
