package dev.jobs.store.jdbc.sql;

import java.util.Collection;
import java.util.List;
import java.util.Set;

import dev.jobs.store.Transition;
import org.jspecify.annotations.Nullable;

/**
 * What the operations that all databases share leave to each of them.
 */
public interface Dialect {

	/** A count above this is not increased any more: columns of numbers have an end. */
	long FULL = 1_000_000_000;

	/**
	 * Return how transactions run.
	 * @param timeoutSeconds how long a statement may take. Where the database can, it
	 * ends a transaction whose process is silent for as long: nobody else can take over
	 * what that has locked.
	 */
	TransactionSettings transactions(int timeoutSeconds);

	/**
	 * Return how a column is compared with several values.
	 */
	ValueLists valueLists();

	/**
	 * Return what makes a query lock the rows it finds.
	 */
	String locking();

	/**
	 * Return what makes a query lock the rows it finds and skip those that others have
	 * locked.
	 */
	String skippingLocked();

	/**
	 * Return the database's own time in milliseconds, or {@code null} if it is that of
	 * this machine.
	 */
	default @Nullable Long time(Statements statements) {
		String time = timeExpression();
		return (time != null) ? statements.number("select " + time) : null;
	}

	/**
	 * Return the expression of the database's own time in milliseconds, or {@code null}
	 * if it is that of this machine.
	 */
	@Nullable String timeExpression();

	/**
	 * Return the next numbers of a sequence, each greater than any returned before.
	 */
	List<Long> next(Statements statements, String sequence, int count);

	/**
	 * Insert a row unless there is one with the same key.
	 * @return whether it was inserted
	 */
	boolean insertNew(Statements statements, String table, String columns, @Nullable Object... values);

	/**
	 * Insert rows of a key, texts and numbers, or add the numbers to those of the row
	 * with the same key unless they are {@linkplain #FULL full}, in the order given.
	 * @param texts how many of the columns are texts, the key first
	 * @param fixed how many numbers behind the texts are not added to
	 */
	void addUp(Statements statements, String table, List<String> columns, int texts, int fixed,
			List<@Nullable Object[]> rows);

	/**
	 * Return the sum of a column, whatever numbers are in it.
	 */
	String sum(String column);

	/**
	 * Delete jobs that are held under the tokens of transitions.
	 */
	Deleted deleteHeld(Statements statements, List<Transition> transitions);

	/**
	 * Delete rows of the outbox by their places, without reading rows that others have
	 * locked.
	 */
	void deleteFromOutbox(Statements statements, List<Long> places);

	/**
	 * Create the rows of those of some queues that have jobs: another program has added
	 * them, or the queue was forgotten while an enqueue was not committed.
	 */
	void openQueuesWithJobs(Statements statements, Collection<String> queues);

	/**
	 * What was deleted.
	 *
	 * @param ids the ids of the jobs
	 * @param queues those of their queues that may have a limit
	 */
	record Deleted(Set<String> ids, Set<String> queues) {

	}

}
