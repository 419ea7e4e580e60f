package dev.jobs.store.jdbc.worker;

import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

import dev.jobs.store.jdbc.sql.Statements;
import dev.jobs.store.view.WorkerInfo;
import dev.jobs.store.view.WorkerJson;
import dev.jobs.text.ErrorText;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The registered workers.
 */
public final class Workers {

	private static final Logger logger = LoggerFactory.getLogger(Workers.class);

	private final Statements statements;

	private final long now;

	/** The expression of the server's time, if it counts. */
	private final @Nullable String serverTime;

	public Workers(Statements statements, long now) {
		this(statements, now, null);
	}

	/**
	 * Judge workers by two clocks, since a worker may not know yet that the server's was
	 * set.
	 * @param now the worker's time
	 * @param serverTime the expression of the server's time, or {@code null} if only the
	 * other counts
	 */
	Workers(Statements statements, long now, @Nullable String serverTime) {
		this.statements = statements;
		this.now = now;
		this.serverTime = serverTime;
	}

	public boolean isAlive(String worker) {
		return this.statements.number("select count(*) from {worker} where id = ? and lease_until >= ?", worker,
				this.now) > 0;
	}

	/**
	 * Forget workers; their jobs are abandoned.
	 */
	void forget(Collection<String> workers, Deliveries deliveries) {
		if (!workers.isEmpty()) {
			deliveries.abandon(workers);
			this.statements.update("delete from {worker} where id in (??)", workers);
		}
	}

	/**
	 * Return the condition for an expired lease, with the time as its argument.
	 */
	String isOver() {
		return "lease_until < " + ((this.serverTime != null) ? "least(?, " + this.serverTime + ")" : "?");
	}

	/**
	 * Return the condition for a lease that ends later than its own length from now, with
	 * the time as its argument.
	 */
	String isTooLong() {
		return "lease_until > lease + " + later();
	}

	private String later() {
		return (this.serverTime != null) ? "greatest(?, " + this.serverTime + ")" : "?";
	}

	List<String> expiredBut(String asking, String locking) {
		return this.statements.query("select id from {worker} where " + isOver() + " and id <> ? order by id" + locking,
				(row, n) -> row.getString(1), this.now, asking);
	}

	/**
	 * Cut leases that end later than their own length from now.
	 */
	void cutLeases(String locking) {
		List<String> workers = this.statements.query(
				"select id from {worker} where " + isTooLong() + " order by id" + locking, (row, n) -> row.getString(1),
				this.now);
		if (!workers.isEmpty()) {
			this.statements.update("update {worker} set lease_until = lease + " + later() + " where id in (??)",
					this.now, workers);
			workers.forEach((worker) -> logger.warn(
					"The lease of the worker '{}' ended later than it can and was cut, since the clock was set back "
							+ "or another program wrote it; unless the worker beats, its jobs are soon taken over",
					ErrorText.clean(worker)));
		}
	}

	/**
	 * Return the queues that live workers serve.
	 */
	public Set<String> served() {
		Set<String> served = new HashSet<>();
		for (String text : this.statements.query(
				"select info from {worker} where lease_until >= ? and info is not null", (row, n) -> row.getString(1),
				this.now)) {
			WorkerInfo info = WorkerJson.info(text);
			if (info != null) {
				info.pools().forEach((pool) -> served.addAll(pool.queues()));
			}
		}
		return served;
	}

}
