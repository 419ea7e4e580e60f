package dev.jobs.store.jdbc.operation;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Objects;
import java.util.Set;

import dev.jobs.store.NewJob;
import dev.jobs.store.Transition;
import dev.jobs.store.Transition.To;
import dev.jobs.store.jdbc.row.EpochMillis;
import dev.jobs.store.jdbc.row.JsonColumns;
import dev.jobs.store.jdbc.row.NewJobRow;
import dev.jobs.store.jdbc.row.StateColumn;
import dev.jobs.store.jdbc.sql.Statements;
import dev.jobs.store.jdbc.sql.UnitOfWork;
import dev.jobs.store.support.Standing;
import org.jspecify.annotations.Nullable;

/**
 * Puts jobs where they wait. Only here do jobs become ready, whether new, due, retried or
 * put back: each gets its place in line or, as {@code {laned}}, in its lane, and workers
 * learn of it unless they made it ready.
 */
final class ReadyLine {

	private static final String READY_NOW = "case when lane is null then {ready} else {laned} end";

	private static final String MOVE = "update {job} set state = " + READY_NOW
			+ ", place = ?, due_at = ?, since = ? where id = ?";

	/** A waiting job keeps its unique key in every mode. */
	private static final String RETURN = "update {job} set state = case when ? = {scheduled} then {scheduled} else "
			+ READY_NOW + " end, place = ?, due_at = coalesce(?, due_at), "
			+ "since = coalesce(?, due_at), token = null, cancel = null, progress = null, trail = ?, attempt = ?, ahead = case when coalesce(lane, '') = '' then 0 else ? end "
			+ "where id = ? and token = ?";

	private final UnitOfWork work;

	private final Statements statements;

	private final long now;

	ReadyLine(UnitOfWork work, long now) {
		this.work = work;
		this.statements = work.statements();
		this.now = now;
	}

	/**
	 * Add new jobs that no rule can refuse.
	 * @return the ids of the new jobs
	 */
	Set<String> add(JobInserts inserts, List<NewJob> jobs) {
		Set<String> news = inserts.insert(this.work, jobs, this.now);
		jobs.stream().filter((job) -> news.contains(job.id())).forEach(this::signal);
		return news;
	}

	/**
	 * Add a new job.
	 * @param key the name of the unique key it holds, or {@code null} if it holds none
	 * @return whether it was added; not if another one has its id or its key
	 */
	boolean add(NewJob job, @Nullable String key) {
		if (!this.work.dialect()
			.insertNew(this.statements, "job", NewJobRow.COLUMNS, NewJobRow.of(job, key, places(1).get(0), this.now))) {
			return false;
		}
		this.work.openQueue(job.name());
		signal(job);
		return true;
	}

	/**
	 * Make due jobs of a queue ready, without a signal to others.
	 * @return the lanes that they are in now
	 */
	Set<String> promote(String queue, int most) {
		Set<String> lanes = new HashSet<>();
		List<String> ids = this.statements.query(
				"select id, lane from {job} where queue = ? and state = {scheduled} and due_at <= ? and not (id in (??)) "
						+ "order by due_at, id limit ?" + this.work.dialect().skippingLocked(),
				(row, n) -> {
					if (row.getString(2) != null) {
						lanes.add(row.getString(2));
					}
					return row.getString(1);
				}, queue, this.now, this.work.passedOver(), most);
		Iterator<Long> places = places(ids.size()).iterator();
		this.work.changeEach(ids, (id) -> queue, (id) -> id,
				"update {job} set state = " + READY_NOW + ", place = ? where id = ?",
				(id) -> new @Nullable Object[] { places.next(), id });
		return lanes;
	}

	/**
	 * Move the due time of a waiting job. A ready one that stays ready keeps its place.
	 * @param state its {@link StateColumn}
	 */
	void move(String id, String queue, int state, long dueAt) {
		int next = StateColumn.waiting(dueAt, null, this.now);
		if (next == StateColumn.READY && state != StateColumn.READY) {
			this.statements.update(MOVE, places(1).get(0), dueAt, dueAt, id);
		}
		else {
			this.statements.update("update {job} set state = ?, due_at = ?, since = ? where id = ?", next, dueAt, dueAt,
					id);
		}
		signal(queue, dueAt);
	}

	/**
	 * Let a waiting job stand elsewhere once it is ready.
	 * @param state its {@link StateColumn}
	 * @return the state it has then
	 */
	int changeStanding(String id, String queue, int state, Standing standing) {
		int next = (state == StateColumn.SCHEDULED) ? state : StateColumn.ready(standing.lane());
		this.statements.update(
				"update {job} set ahead = case when coalesce(lane, '') = ? then ahead else 0 end, lane = ?, urgency = ?, state = ? where id = ?",
				Objects.requireNonNullElse(standing.lane(), ""), standing.lane(), standing.urgency().ordinal(), next,
				id);
		if (next != state) {
			this.statements.update("update {job} set place = ? where id = ?", places(1).get(0), id);
		}
		signal(queue, this.now);
		return next;
	}

	/**
	 * Put held jobs back: to the front, or to wait until they are due.
	 * @return the jobs that were held
	 */
	List<Transition> putBack(List<Transition> transitions) {
		if (transitions.isEmpty()) {
			return transitions;
		}
		List<Long> places = places(transitions.size());
		List<@Nullable Object[]> rows = new ArrayList<>();
		for (Transition transition : transitions) {
			int n = rows.size();
			boolean front = transition.to() != To.SCHEDULED;
			Long due = front ? null : EpochMillis.of(transition.at());
			rows.add(new @Nullable Object[] {
					(due != null) ? StateColumn.waiting(due, null, this.now) : StateColumn.READY,
					front ? -places.get(transitions.size() - 1 - n) : places.get(n), due, due,
					JsonColumns.trail(transition.trail()), transition.trail().attempt(),
					StateColumn.ahead(transition.keepsLane()), transition.id(), transition.token() });
		}
		List<Transition> moved = this.statements.changed(RETURN, transitions, rows);
		for (Transition transition : moved) {
			boolean front = transition.to() != To.SCHEDULED;
			if (front) {
				new UniqueKeys(this.work, this.now).takeAgain(transition.id(), false);
			}
			signal(transition.queue(), front ? this.now : EpochMillis.of(transition.at()));
		}
		return moved;
	}

	private List<Long> places(int count) {
		return this.work.dialect().next(this.statements, "place", count);
	}

	private void signal(NewJob job) {
		signal(job.name(), EpochMillis.of(job.dueAt()));
	}

	private void signal(String queue, long dueAt) {
		this.work.signalReady(queue, Math.max(dueAt, this.now));
	}

}
