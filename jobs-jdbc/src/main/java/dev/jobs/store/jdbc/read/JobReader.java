package dev.jobs.store.jdbc.read;

import java.util.List;

import dev.jobs.JobFilter;
import dev.jobs.store.jdbc.row.StoredJob;
import dev.jobs.store.jdbc.sql.Statements;
import dev.jobs.store.jdbc.worker.DeliveryRows;
import dev.jobs.store.view.QueueView;
import org.jspecify.annotations.Nullable;

/**
 * Reads lists of jobs and queues.
 */
public interface JobReader {

	/**
	 * Return the source of running jobs' deliveries.
	 */
	DeliveryRows deliveries();

	/**
	 * Return queues, sorted by name.
	 * @param name the only queue wanted, or {@code null} for all
	 */
	List<QueueView> queues(Statements statements, @Nullable String name, long now);

	/**
	 * Return the names of all queues that are known or have jobs.
	 */
	List<String> names(Statements statements);

	/**
	 * Count the jobs of a selection.
	 * @param most the most to count
	 */
	long count(Statements statements, Selection selection, int most);

	/**
	 * Return an estimate of how many jobs a filter selects, or 0 if it is not known.
	 */
	default long estimate(Statements statements, JobFilter filter) {
		return 0;
	}

	/**
	 * Read jobs of all parts of a selection, in no order.
	 * @param most the most to read
	 */
	List<Candidate> some(Statements statements, Selection selection, int most);

	/**
	 * Read ready jobs, queue by queue in the order of their places.
	 * @param ready which of them
	 * @param after the position after which to begin, or {@code null} for the front
	 * @param many how many to return at most
	 */
	List<Candidate> ready(Statements statements, Selection selection, Selection.Part ready,
			@Nullable ListPosition after, int many);

	/**
	 * Read jobs of a part of a selection in some queues, each queue in the order of time
	 * and id.
	 * @param starts where to begin in each queue, and how many to return at most
	 */
	List<Candidate> timed(Statements statements, Selection.Part part, boolean newestFirst, List<Start> starts);

	/**
	 * Read jobs in the order of their ids: all that have a tag, and maybe others.
	 * @param after the id behind which to begin, or {@code null} for the first
	 * @param many how many to return; fewer only if there are no more
	 */
	List<Candidate> byId(Statements statements, String tag, @Nullable String after, boolean newestFirst, int many);

	/**
	 * Return a condition that all jobs of a search meet, and maybe others.
	 * @param text a {@linkplain StoredJob#plainPart plain part} of the text that they
	 * contain, or an empty one if any will do
	 * @param tag the tag that they have, or an empty one if any will do
	 */
	Search search(String text, String tag);

	/**
	 * Return the expression for a trail without stacks and logs.
	 */
	String trailWithoutStacks();

	/**
	 * Where to read a part of a queue.
	 *
	 * @param queue the queue
	 * @param time the time after which to begin
	 * @param id the id after which to begin at that time
	 * @param many how many to read at most
	 */
	record Start(String queue, long time, String id, int many) {

	}

	/**
	 * A condition of a search.
	 *
	 * @param conditions what jobs must meet
	 * @param arguments the arguments of all of them
	 */
	record Search(List<String> conditions, List<Object> arguments) {

		/** No condition: each job is read and searched. */
		public static final Search ALL = new Search(List.of(), List.of());

	}

}
