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
 * The deliveries that may still exist in PostgreSQL, so that reads skip the index entries
 * of deleted ones, which cannot be cleaned up while any session has an old snapshot.
 * Tokens only rise, so below a token all deliveries are known or gone once the
 * {@link Writers} that may have drawn it have ended. Now and then all are checked anyway,
 * since a restored database draws tokens again.
 */
public final class LiveDeliveries {

	/** The fragment of this name, with its list in the form of other statements. */
	private static final String ROWS = "("
			+ PostgresFragments.fragment("live-deliveries").replace("= any (?)", "in (??)") + ")";

	/**
	 * A mark with more deliveries than these below it is not raised, since it would save
	 * little.
	 */
	private static final int MOST_KEPT = 1000;

	/** Stands for an empty list of deliveries below the mark. */
	private static final long NONE = -1;

	private static final long UNSEEN = -2;

	private final ReentrantLock raising = new ReentrantLock();

	private final AtomicLong seen = new AtomicLong(UNSEEN);

	private volatile Known known = Known.NOTHING;

	/** A token that was not drawn yet when it was noted, or 0. */
	private long candidate;

	/** The writers whose end makes that certain. */
	private Writers awaited = new Writers(List.of());

	/**
	 * Record the last drawn token, which saves a query for it.
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
	 * Find unknown deliveries.
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
	 * Replace the known deliveries, unless another thread has done so; they are found
	 * again.
	 */
	private synchronized void replace(Known before, Known after) {
		if (this.known == before) {
			this.known = after;
		}
	}

	/**
	 * The known deliveries.
	 *
	 * @param mark deliveries from this token on may exist
	 * @param kept the lower tokens of other deliveries that may exist
	 */
	public record Known(long mark, List<Long> kept) {

		static final Known NOTHING = new Known(0, List.of(NONE));

	}

}
