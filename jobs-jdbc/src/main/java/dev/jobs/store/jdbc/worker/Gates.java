package dev.jobs.store.jdbc.worker;

import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

import dev.jobs.Rate;
import dev.jobs.store.ClaimRequest.Quota;
import dev.jobs.store.ClaimRequest.Rates;
import dev.jobs.store.Transition;
import dev.jobs.store.jdbc.row.EpochMillis;
import dev.jobs.store.jdbc.sql.Statements;
import dev.jobs.store.jdbc.sql.UnitOfWork;
import dev.jobs.store.support.Gate;
import org.jspecify.annotations.Nullable;

/**
 * The gates of a queue and of its lanes during a claim, which has locked the queue if it
 * has rates.
 */
public final class Gates {

	private static final Rates NONE = new Rates(null, null, Duration.ZERO);

	private final Statements statements;

	private final String queue;

	private final Rates rates;

	private final long now;

	/** By lane; that of the queue has an empty name. */
	private final Map<String, Gate> gates = new HashMap<>();

	public Gates(Statements statements, Quota quota, long now) {
		this.statements = statements;
		this.queue = quota.queue();
		this.rates = Objects.requireNonNullElse(quota.rates(), NONE);
		this.now = now;
		load(List.of(""));
	}

	public void load(Collection<String> lanes) {
		List<String> unknown = lanes.stream().filter((lane) -> !this.gates.containsKey(lane)).toList();
		if (!unknown.isEmpty()) {
			unknown.forEach((lane) -> this.gates.put(lane, Gate.open()));
			this.statements.query(
					"select lane, starts, held_until, permit_at, kept_until from {gate} where queue = ? and lane in (??)",
					(row, n) -> this.gates.put(row.getString(1),
							new Gate(Objects.requireNonNullElse(row.getString(2), ""), row.getLong(3), row.getLong(4),
									row.getLong(5))),
					this.queue, unknown);
		}
	}

	private Gate of(String lane) {
		load(List.of(lane));
		return Objects.requireNonNull(this.gates.get(lane));
	}

	/**
	 * Return how many jobs of the queue may start.
	 */
	public int permits() {
		return permits("", this.rates.ofQueue());
	}

	/**
	 * Return how many jobs of a lane may start.
	 */
	public int permits(String lane) {
		return permits(lane, this.rates.ofLane());
	}

	private int permits(String lane, @Nullable Rate rate) {
		return of(lane).room(rate, this.rates.patience(), this.now);
	}

	/**
	 * Count starts for the rate of the queue.
	 */
	public void started(int count) {
		if (this.rates.ofQueue() != null) {
			of("").start(count, this.rates.ofQueue(), this.rates.patience(), this.now);
		}
	}

	/**
	 * Count starts for the rate of a lane.
	 */
	public void started(String lane, int count) {
		if (this.rates.ofLane() != null && !lane.isEmpty()) {
			of(lane).start(count, this.rates.ofLane(), this.rates.patience(), this.now);
		}
	}

	/**
	 * Store what has changed. The queue is locked, so nobody else adds a row.
	 */
	public void save() {
		this.gates.forEach((lane, gate) -> {
			if (gate.isChanged() && this.statements.update(
					"update {gate} set starts = ?, held_until = ?, permit_at = ?, kept_until = ? where queue = ? "
							+ "and lane = ?",
					gate.starts(), gate.heldUntil(), gate.permitAt(), gate.keptUntil(), this.queue, lane) == 0) {
				this.statements.update(
						"insert into {gate} (queue, lane, starts, held_until, permit_at, kept_until) "
								+ "values (?, ?, ?, ?, ?, ?)",
						this.queue, lane, gate.starts(), gate.heldUntil(), gate.permitAt(), gate.keptUntil());
			}
		});
	}

	/**
	 * Return when the next job is due or, if gates keep jobs from starting, when the next
	 * of these opens.
	 * @param due when the next job is due, if one will be
	 * @param more whether there is a job that may start now
	 * @param waiting whether any job is ready
	 */
	public @Nullable Long next(@Nullable Long due, boolean more, boolean waiting) {
		long opens = of("").opensAt();
		if (opens > this.now) {
			return (waiting || (due != null && due < opens)) ? Long.valueOf(opens) : due;
		}
		Long first = more ? null : this.statements.first(
				"select min(case when g.held_until > g.permit_at then g.held_until else g.permit_at end) from {gate} g "
						+ "where g.queue = ? and g.lane <> '' and (g.held_until > ? or g.permit_at > ?) and exists "
						+ "(select 1 from {job} j where j.queue = g.queue and j.state = {laned} and j.lane = g.lane)",
				(row, n) -> row.getLong(1), this.queue, this.now, this.now);
		return (first != null && first > 0 && (due == null || first < due)) ? first : due;
	}

	/**
	 * Hold back the queue of a job or, if it has one, its lane. In a transaction of the
	 * application this waits for the commit, since claims need the row of the queue. A
	 * job that was deleted meanwhile holds nothing back, as nobody knows its lane.
	 */
	public static void holdBack(UnitOfWork work, Transition transition) {
		if (!work.mayLock()) {
			work.afterCommit((own) -> holdBack(own, transition));
			return;
		}
		List<String> lane = work.statements()
			.query("select lane from {job} where id = ?", (row, n) -> Objects.requireNonNullElse(row.getString(1), ""),
					transition.id());
		if (lane.isEmpty()) {
			return;
		}
		String queue = transition.queue();
		long until = EpochMillis.of(transition.at());
		work.openQueue(queue);
		work.statements()
			.update("update {queue} set held_until = case when held_until < ? then ? else held_until end where name = ?",
					until, until, queue);
		Gates gates = new Gates(work.statements(), Quota.of(queue, 0), 0);
		gates.of(lane.get(0)).holdUntil(until);
		gates.save();
		work.signalRestricted(queue);
	}

}
