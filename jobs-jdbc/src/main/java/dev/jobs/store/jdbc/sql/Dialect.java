package dev.jobs.store.jdbc.sql;

import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;

import dev.jobs.store.Save;
import dev.jobs.store.Transition;
import dev.jobs.store.jdbc.row.KeptEnd;
import org.jspecify.annotations.Nullable;

/**
 * The differences between databases for the operations that they share.
 */
public interface Dialect {

	/** A count above this is not increased any more, since number columns are bounded. */
	long FULL = 1_000_000_000;

	/**
	 * Return how transactions run.
	 * @param timeoutSeconds how long a statement may take. If the database can, it also
	 * ends a transaction whose process is silent for as long, since others cannot take
	 * over jobs that it has locked.
	 */
	TransactionSettings transactions(int timeoutSeconds);

	/**
	 * Return the way to compare a column with several values.
	 */
	ValueLists valueLists();

	/**
	 * Return the clause that makes a query lock its rows.
	 */
	String locking();

	/**
	 * Return the clause that makes a query lock its rows and skip locked ones.
	 */
	String skippingLocked();

	/**
	 * Return the database's own time in milliseconds, or {@code null} if it uses this
	 * machine's clock.
	 */
	default @Nullable Long time(Statements statements) {
		String time = timeExpression();
		return (time != null) ? statements.number("select " + time) : null;
	}

	/**
	 * Return the expression of the database's own time in milliseconds, or {@code null}
	 * if it uses this machine's clock.
	 */
	@Nullable String timeExpression();

	/**
	 * Return the conditions for the jobs that wait until they are due, one for each index
	 * that has them in the order of queues, due times and ids.
	 */
	List<String> untilDue();

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
	 * Insert rows of a key, texts and numbers, or add the numbers to the row with the
	 * same key unless they are {@linkplain #FULL full}, in the given order.
	 * @param texts how many of the columns are texts, the key first
	 * @param fixed how many numbers after the texts stay as they are
	 */
	void addUp(Statements statements, String table, List<String> columns, int texts, int fixed,
			List<@Nullable Object[]> rows);

	/**
	 * Return the sum of a column, whatever numbers are in it.
	 */
	String sum(String column);

	/**
	 * Delete jobs that are held under the tokens of transitions, and keep their ends.
	 */
	Deleted deleteHeld(Statements statements, List<Transition> transitions);

	/**
	 * Keep ends of jobs, each instead of an earlier one.
	 */
	void keep(Statements statements, List<KeptEnd> ends);

	/**
	 * Save values of jobs that are held under the tokens of the saves, and keep others
	 * from changing these jobs meanwhile.
	 * @param saves the values, none of them twice
	 * @return the tokens of those of the jobs that run
	 */
	Map<String, Long> save(Statements statements, List<Save> saves, long now);

	/**
	 * Delete rows of the outbox by place, without reading rows that others have locked.
	 */
	void deleteFromOutbox(Statements statements, List<Long> places);

	/**
	 * Create missing rows for queues that have jobs: another program added these, or the
	 * queue was forgotten while an enqueue was not committed.
	 */
	void openQueuesWithJobs(Statements statements, Collection<String> queues);

	/**
	 * The deleted jobs.
	 *
	 * @param ids the ids of the jobs
	 * @param queues those of their queues that may have a limit
	 */
	record Deleted(Set<String> ids, Set<String> queues) {

	}

}
