package dev.jobs.store.jdbc;

import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

import dev.jobs.store.ClaimRequest;
import dev.jobs.store.NewJob;
import dev.jobs.store.QueueView;
import dev.jobs.store.Transition;
import dev.jobs.store.WorkerBeat;
import org.jspecify.annotations.Nullable;

/**
 * What databases do each in their own way.
 */
interface Dialect {

	/**
	 * Prepare the database when it is first used, so that it keeps what it says is
	 * committed.
	 */
	default void open(Statements statements) {
	}

	/**
	 * Prepare a transaction that writes; its first statement. If the process freezes
	 * between two statements, the database ends it where it can: what it has locked can
	 * be taken over by nobody.
	 */
	void begin(Statements statements);

	/**
	 * Prepare a transaction that only reads and sees all at one moment; its first
	 * statement.
	 */
	default void beginSnapshot(Statements statements) {
	}

	/**
	 * Prepare the end of a transaction that writes and that the application began.
	 */
	void beginEnd(Statements statements);

	/**
	 * Return what makes a query lock the rows it finds.
	 */
	String locking();

	/**
	 * Return what makes a query lock the rows it finds and pass over locked ones.
	 */
	String skipping();

	/**
	 * Draw numbers, each greater than any drawn before.
	 */
	List<Long> next(Statements statements, String sequence, int count);

	/**
	 * Insert a row unless there is one with the same key.
	 * @return whether it was inserted
	 */
	boolean insertNew(Statements statements, String table, String columns, @Nullable Object... values);

	/** What has come so far is not added to any more: columns of numbers have an end. */
	long FULL = 1_000_000_000;

	/**
	 * Return the sum of a column, whatever numbers are in it.
	 */
	default String sum(String column) {
		return "sum(" + column + ")";
	}

	/**
	 * Insert rows of a key, texts and numbers, or add the numbers to those of the row
	 * with the same key unless they are {@linkplain #FULL full}, in the order given and
	 * with one statement.
	 * @param texts how many of the columns are texts, the key first
	 * @param fixed how many numbers behind the texts are not added to
	 * @return whether the database can do that; if not, nothing was done
	 */
	default boolean addUp(Statements statements, String table, List<String> columns, int texts, int fixed,
			List<@Nullable Object[]> rows) {
		return false;
	}

	/**
	 * Insert jobs that no rule may keep out, and make their queues known.
	 * @return the ids of those that are new
	 */
	Set<String> insertPlain(UnitOfWork work, List<NewJob> jobs, long now);

	/**
	 * Look what queues may give to a worker.
	 * @return what is seen of each queue that is known or has jobs, or {@code null} if
	 * the worker is not alive
	 */
	@Nullable Map<String, QueueSnapshot> look(Statements statements, ClaimRequest request);

	/**
	 * Look at queues without a transaction, and hold ready jobs of them at once, unless
	 * one has a stored limit, due jobs or callers who wait for room.
	 * @return what came of it, or {@code null} if nothing was done and a transaction is
	 * needed
	 */
	default @Nullable FirstLook lookAndHold(Statements statements, ClaimRequest request, List<Wanted> wanted,
			int limit) {
		return null;
	}

	/**
	 * Hold ready jobs for a worker: of each queue as many as wanted, in the order of the
	 * queues, no more than the limit in all.
	 * @return the jobs, in the order of the queues and of their places
	 */
	List<StoredJob> hold(Statements statements, List<Wanted> wanted, int limit, String worker, long now);

	/**
	 * Return those of some queues that have ready jobs.
	 * @param queues the queues, each with the last place that was just given: what is
	 * left is most likely behind it, but others may have had jobs before it locked and
	 * yet leave them
	 */
	Set<String> withReady(Statements statements, Map<String, Long> queues);

	/**
	 * Remove jobs that are held under the transitions' tokens.
	 * @return the ids of those that were
	 */
	Set<String> remove(Statements statements, List<Transition> transitions);

	/**
	 * Remove rows of the outbox by their places, without a look at rows that others have
	 * locked.
	 */
	void removeFromOutbox(Statements statements, List<Long> places);

	/**
	 * Make those of some queues known that have jobs: another program has added them, or
	 * the queue was forgotten while an enqueue was not yet committed.
	 */
	void adopt(Statements statements, Collection<String> queues);

	/**
	 * Return the condition that a column has one of some values, which are one argument.
	 */
	String isAmong(String column, int count);

	/**
	 * Turn a list into arguments for {@link #isAmong}.
	 */
	List<Object> arguments(Collection<?> values);

	/**
	 * Renew the lease of a worker that is registered and holds nothing, and make the
	 * queues known that it serves and that have jobs, without a transaction.
	 * @return the database's own time in milliseconds, or {@code null} if it is not such
	 * a worker, or a transaction is needed
	 */
	default @Nullable Long beatIdle(Statements statements, WorkerBeat beat, List<String> served) {
		return null;
	}

	/**
	 * Find out how much of what is gone may be passed over, with each beat.
	 */
	default void raiseMarks(Statements statements) {
	}

	/**
	 * Look now and then whether what is believed to be gone is. It may take seconds.
	 */
	default void lookThrough(Statements statements, long now) {
	}

	/**
	 * Return the deliveries that may still be there.
	 */
	default Live live() {
		return Live.ALL;
	}

	/**
	 * Return the database's own time in milliseconds, or {@code null} if it is that of
	 * this machine.
	 */
	@Nullable Long time(Statements statements);

	/**
	 * Return all queues, sorted by name.
	 */
	List<QueueView> queues(Statements statements, long now);

	/**
	 * Return the names of all queues that are known or have jobs.
	 */
	List<String> names(Statements statements);

	/**
	 * Count the jobs of a selection.
	 * @param most how many are counted at most
	 */
	long count(Statements statements, Selection selection, int most);

	/**
	 * Read jobs of all parts of a selection, in no order.
	 * @param most how many are read at most
	 */
	List<Candidate> some(Statements statements, Selection selection, int most);

	/**
	 * Read ready jobs, queue by queue in the order of their places.
	 * @param line which of them
	 * @param after behind which to begin, or {@code null} for the front
	 * @param many how many to return at most
	 */
	List<Candidate> line(Statements statements, Selection selection, Selection.Part line, @Nullable ListPosition after,
			int many);

	/**
	 * Read jobs of a part of a selection in some queues, those of each in the order of
	 * time and id.
	 * @param starts where to begin in each queue, and how many to return at most
	 */
	List<Candidate> timed(Statements statements, Selection.Part part, boolean newestFirst,
			List<OrderedScan.Start> starts);

	/**
	 * Read all jobs that have a tag, in the order of ids, by an index.
	 * @param after the id behind which to begin, or {@code null} for the first
	 * @return the jobs, or {@code null} if there is no index, or so many jobs have the
	 * tag that they had better be looked for among all
	 */
	default @Nullable List<Candidate> tagged(Statements statements, String tag, @Nullable String after,
			boolean newestFirst) {
		return null;
	}

	/**
	 * Return a condition, with "and" behind it, that is met by all jobs that have a tag,
	 * and maybe by others.
	 * @param arguments its arguments are added here
	 */
	default String having(String tag, List<@Nullable Object> arguments) {
		return "";
	}

	/**
	 * Return what to read instead of a trail where its stacks and logs are not asked for.
	 */
	default String errors() {
		return StoredJob.TRAIL;
	}

	/**
	 * Return a condition, with "and" behind it, that is met by all jobs in which
	 * {@link StoredJob#plainPart a plain part} of a text is, and maybe by others. It is
	 * empty if the jobs had better be read to be looked at.
	 * @param arguments its arguments are added here
	 */
	default String containing(String plainPart, List<@Nullable Object> arguments) {
		return "";
	}

	/**
	 * All deliveries that exist, and perhaps some that are gone.
	 *
	 * @param rows what to select them from
	 * @param arguments what it needs, wherever it stands
	 */
	record Live(String rows, List<Object> arguments) {

		static final Live ALL = new Live("{delivery}", List.of());

		@Nullable Object[] with(@Nullable Object... more) {
			return Stream.concat(this.arguments.stream(), Arrays.stream(more)).toArray();
		}

	}

	/**
	 * How many ready jobs of a queue are wanted.
	 *
	 * @param queue the queue
	 * @param count how many
	 */
	record Wanted(String queue, int count) {

	}

	/**
	 * What was seen of queues and held.
	 *
	 * @param seen what is seen of each queue; nothing if the worker is not alive
	 * @param held the jobs, in the order of the queues and of their places
	 * @param more the queues with more ready jobs
	 */
	record FirstLook(Map<String, QueueSnapshot> seen, List<StoredJob> held, Set<String> more) {

	}

}
