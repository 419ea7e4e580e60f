package dev.jobs.store.jdbc.postgres.mark;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.Stream;

import dev.jobs.store.jdbc.postgres.statement.PostgresFragments;
import dev.jobs.store.jdbc.postgres.statement.PostgresSql;
import dev.jobs.store.jdbc.postgres.statement.PostgresStatements;
import dev.jobs.store.jdbc.sql.Statements;
import dev.jobs.store.jdbc.worker.DeliveryRows;

/**
 * Which deliveries may still exist in PostgreSQL, so that nobody need read over the index
 * entries of all those that were deleted: while any session holds an old snapshot, they
 * cannot be cleaned up. Tokens only rise, so below one of them all deliveries are known
 * or gone once the {@link Writers} have ended that may have drawn it. Now and then all
 * are checked all the same, since a database that was restored draws tokens again.
 */
public final class LiveDeliveries {

	/** The fragment of this name, with its list as other statements write it. */
	private static final String ROWS = "("
			+ PostgresFragments.fragment("live-deliveries").replace("= any (?)", "in (??)") + ")";

	/** With more than these below it, a mark is not raised: it would save little. */
	private static final int MOST_KEPT = 1000;

	/** Stands for those below the mark if there are none. */
	private static final long NONE = -1;

	private static final long UNSEEN = -2;

	private final ReentrantLock raising = new ReentrantLock();

	private final AtomicLong seen = new AtomicLong(UNSEEN);

	private volatile Known known = Known.NOTHING;

	/** A token that is not drawn when it is noted, or 0. */
	private long candidate;

	/** Whose end makes that certain. */
	private Writers awaited = new Writers(List.of());

	/**
	 * Note the last token that was drawn, so that it need not be asked for.
	 */
	public void saw(long last) {
		this.seen.set(last);
	}

	public Known known() {
		return this.known;
	}

	public DeliveryRows rows() {
		Known seen = this.known;
		return new DeliveryRows(ROWS, List.of(seen.mark(), seen.kept()));
	}

	/**
	 * Raise the mark if a higher one has become certain.
	 */
	public void raise(Statements statements) {
		if (!this.raising.tryLock()) {
			return;
		}
		try {
			if (this.seen.getAndSet(UNSEEN) + 1 == this.known.mark()) {
				return;
			}
			long last = statements.number(PostgresSql.LAST_TOKEN.text());
			if (last + 1 < this.known.mark()) {
				this.known = Known.NOTHING;
				this.candidate = 0;
			}
			if (last + 1 == this.known.mark()) {
				return;
			}
			Writers writers = Writers.underWay(statements, "delivery");
			this.awaited = this.awaited.still(writers);
			if (this.candidate > 0 && this.awaited.isNone()) {
				raise(statements, this.candidate);
				this.candidate = 0;
			}
			if (this.candidate == 0) {
				this.candidate = last + 1;
				this.awaited = writers;
			}
		}
		finally {
			this.raising.unlock();
		}
	}

	private void raise(Statements statements, long mark) {
		Known before = this.known;
		List<Long> kept = new ArrayList<>(statements.query("select distinct token from {delivery} where token in (??)",
				(row, n) -> row.getLong(1), before.kept()));
		kept.addAll(tokens(statements, before.mark(), mark, List.of(NONE)));
		if (kept.size() <= MOST_KEPT) {
			kept.add(NONE);
			replace(before, new Known(mark, List.copyOf(kept)));
		}
	}

	/**
	 * Find deliveries that are not known.
	 */
	void check(Statements statements) {
		Known before = this.known;
		if (before.mark() <= 1) {
			return;
		}
		List<Long> found = tokens(statements, 0, before.mark(), before.kept());
		if (!found.isEmpty()) {
			replace(before, new Known(before.mark(), Stream.concat(before.kept().stream(), found.stream()).toList()));
		}
	}

	private static List<Long> tokens(Statements statements, long from, long to, List<Long> but) {
		return PostgresStatements.runByIndex(statements, PostgresSql.DELIVERY_TOKENS, (row, n) -> row.getLong(1), from,
				to, PostgresStatements.numbers(but, (token) -> token), MOST_KEPT + 1);
	}

	/**
	 * Replace what is known, unless another thread has done so: it is found again.
	 */
	private synchronized void replace(Known before, Known after) {
		if (this.known == before) {
			this.known = after;
		}
	}

	/**
	 * What is known of deliveries.
	 *
	 * @param mark those from this token on may be there
	 * @param kept the lower tokens of others that may be
	 */
	public record Known(long mark, List<Long> kept) {

		static final Known NOTHING = new Known(0, List.of(NONE));

	}

}
