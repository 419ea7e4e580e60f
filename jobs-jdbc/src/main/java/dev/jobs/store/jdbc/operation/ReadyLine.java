package dev.jobs.store.jdbc.operation;

import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import dev.jobs.Trail;
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
			+ ", place = ?, due_at = ?, since = ?, waits_for = null where id = ?";

	private static final String RELEASE = MOVE + " and state = {waiting} and waits_for = ?";

	/** A waiting job keeps its unique key in every mode. */
	private static final String RETURN = "update {job} set state = case when ? = {ready} then " + READY_NOW
			+ " else ? end, waits_for = ?, place = ?, due_at = coalesce(?, due_at), "
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
		List<Due> found = new ArrayList<>();
		for (String condition : this.work.dialect().untilDue()) {
			found.addAll(this.statements.query(
					"select j.id, j.lane, j.due_at from {job} j where j.queue = ? and " + condition
							+ " and j.due_at <= ? and not (j.id in (??)) order by j.due_at, j.id limit ?"
							+ this.work.dialect().skippingLocked(),
					(row, n) -> new Due(row.getString(1), row.getString(2), row.getLong(3)), queue, this.now,
					this.work.passedOver(), most));
		}
		List<Due> due = found.stream().sorted(Due.ORDER).limit(most).toList();
		Iterator<Long> places = places(due.size()).iterator();
		this.work.changeEach(due, (job) -> queue, Due::id,
				"update {job} set state = " + READY_NOW + ", place = ?, waits_for = null where id = ?",
				(job) -> new @Nullable Object[] { places.next(), job.id() });
		return due.stream().flatMap((job) -> Stream.ofNullable(job.lane())).collect(Collectors.toSet());
	}

	/**
	 * Put jobs that wait for a thing to the front of their queues. They are found first
	 * and locked one by one in this order; by then others may have changed them.
	 * @return whether any waited
	 */
	boolean release(String thing, int most) {
		List<Map.Entry<String, String>> found = this.statements.query(
				"select id, queue from {job} where state = {waiting} and waits_for = ? order by due_at, id limit ?",
				(row, n) -> Map.entry(row.getString(1), row.getString(2)), thing, most);
		if (found.isEmpty()) {
			return false;
		}
		List<Long> places = new ArrayList<>(places(found.size()));
		Collections.reverse(places);
		Iterator<Long> backwards = places.iterator();
		this.statements
			.changed(RELEASE, found, found.stream()
				.map((job) -> new @Nullable Object[] { -backwards.next(), this.now, this.now, job.getKey(), thing })
				.toList())
			.forEach((job) -> signal(job.getValue(), this.now));
		return true;
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
			this.statements.update("update {job} set state = ?, due_at = ?, since = ?, waits_for = null where id = ?",
					next, dueAt, dueAt, id);
		}
		signal(queue, dueAt);
	}

	/**
	 * Let a waiting job stand elsewhere once it is ready.
	 * @param state its {@link StateColumn}
	 * @return the state it has then
	 */
	int changeStanding(String id, String queue, int state, Standing standing) {
		boolean inLine = state == StateColumn.READY || state == StateColumn.LANED;
		int next = !inLine ? state : StateColumn.ready(standing.lane());
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
			boolean front = isInFront(transition);
			Long due = front ? null : EpochMillis.of(transition.at());
			Trail.Wait wait = (transition.to() == To.WAITING) ? transition.trail().waitsFor() : null;
			int state = (wait != null) ? StateColumn.WAITING
					: (due != null) ? StateColumn.waiting(due, null, this.now) : StateColumn.READY;
			rows.add(new @Nullable Object[] { state, state, (wait != null) ? wait.thing() : null,
					front ? -places.get(transitions.size() - 1 - n) : places.get(n), due, due,
					JsonColumns.trail(transition.trail()), transition.trail().attempt(),
					StateColumn.ahead(transition.keepsLane()), transition.id(), transition.token() });
		}
		List<Transition> moved = this.statements.changed(RETURN, transitions, rows);
		for (Transition transition : moved) {
			boolean front = isInFront(transition);
			if (front) {
				new UniqueKeys(this.work, this.now).takeAgain(transition.id(), false);
			}
			signal(transition.queue(), front ? this.now : EpochMillis.of(transition.at()));
		}
		return moved;
	}

	private static boolean isInFront(Transition transition) {
		return transition.to() != To.SCHEDULED && transition.to() != To.WAITING;
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

	/**
	 * A job that is due.
	 *
	 * @param id its id
	 * @param lane its lane, or {@code null}
	 * @param at since when
	 */
	private record Due(String id, @Nullable String lane, long at) {

		static final Comparator<Due> ORDER = Comparator.comparingLong(Due::at).thenComparing(Due::id);

	}

}
