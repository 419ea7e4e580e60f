package dev.jobs.store.jdbc.worker;

import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

import dev.jobs.store.ErrorText;
import dev.jobs.store.WorkerInfo;
import dev.jobs.store.jdbc.row.JsonColumns;
import dev.jobs.store.jdbc.sql.Statements;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The registered workers.
 */
public final class Workers {

	private static final Logger logger = LoggerFactory.getLogger(Workers.class);

	private final Statements statements;

	private final long now;

	public Workers(Statements statements, long now) {
		this.statements = statements;
		this.now = now;
	}

	public boolean isAlive(String worker) {
		return this.statements.number("select count(*) from {worker} where id = ? and lease_until >= ?", worker,
				this.now) > 0;
	}

	/**
	 * Forget workers; what they hold is abandoned.
	 */
	void forget(Collection<String> workers, Deliveries deliveries) {
		if (!workers.isEmpty()) {
			deliveries.abandon(workers);
			this.statements.update("delete from {worker} where id in (??)", workers);
		}
	}

	List<String> expiredBut(String asking, String locking) {
		return this.statements.query("select id from {worker} where lease_until < ? and id <> ? order by id" + locking,
				(row, n) -> row.getString(1), this.now, asking);
	}

	/**
	 * Cut leases that end later than any can to that of a worker that is alive.
	 */
	void cutLeases(long latest, String alive, String locking) {
		Long lease = this.statements.first(
				"select lease_until from {worker} where id = ? and lease_until between ? and ?",
				(row, n) -> row.getLong(1), alive, this.now, latest);
		if (lease == null) {
			return;
		}
		List<String> workers = this.statements.query(
				"select id from {worker} where lease_until > ? order by id" + locking, (row, n) -> row.getString(1),
				latest);
		if (!workers.isEmpty()) {
			this.statements.update("update {worker} set lease_until = ? where id in (??)", lease, workers);
			workers.forEach(
					(worker) -> logger.warn(
							"The lease of the worker '{}' ended more than a day from now and was cut; "
									+ "unless the worker beats, its jobs are soon taken over",
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
			WorkerInfo info = JsonColumns.info(text);
			if (info != null) {
				info.pools().forEach((pool) -> served.addAll(pool.queues()));
			}
		}
		return served;
	}

}
