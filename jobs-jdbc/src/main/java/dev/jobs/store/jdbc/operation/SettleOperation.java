package dev.jobs.store.jdbc.operation;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;

import dev.jobs.JobState;
import dev.jobs.store.Settled;
import dev.jobs.store.Transition;
import dev.jobs.store.Transition.To;
import dev.jobs.store.jdbc.row.EpochMillis;
import dev.jobs.store.jdbc.row.JsonColumns;
import dev.jobs.store.jdbc.row.KeyColumns;
import dev.jobs.store.jdbc.row.StateColumn;
import dev.jobs.store.jdbc.sql.Statements;
import dev.jobs.store.jdbc.sql.UnitOfWork;
import org.jspecify.annotations.Nullable;

/**
 * One settle. Jobs that leave nothing are deleted together, others are moved one by one
 * in a batch.
 */
public final class SettleOperation {

	private static final String MOVE = "update {job} set state = ?, place = ?, due_at = coalesce(?, due_at), "
			+ "since = coalesce(?, due_at), token = null, cancel = null, progress = null, trail = ?, attempt = ?, "
			+ "held_key = case when ? in (0, 1) then " + KeyColumns.heldIn(JobState.READY) + " when ? = 3 then "
			+ KeyColumns.heldIn(JobState.DEAD) + " else null end " + "where id = ? and token = ?";

	private final UnitOfWork work;

	private final Statements statements;

	private final long now;

	private final List<Transition> transitions;

	private final @Nullable Settled[] reply;

	public SettleOperation(UnitOfWork work, List<Transition> transitions, Instant now) {
		this.work = work;
		this.statements = work.statements();
		this.transitions = transitions;
		this.reply = new @Nullable Settled[transitions.size()];
		this.now = EpochMillis.of(now);
	}

	public List<Settled> run() {
		Set<Held> seen = new HashSet<>();
		List<Integer> first = those((i) -> seen.add(Held.by(this.transitions.get(i))));
		remove(first.stream().filter((i) -> this.transitions.get(i).to() == To.REMOVED).toList());
		move(first.stream().filter((i) -> this.transitions.get(i).to() != To.REMOVED).toList());
		explain(those((i) -> this.reply[i] == null));
		signalLimited();
		return Arrays.stream(this.reply).map((settled) -> (settled != null) ? settled : Settled.GONE).toList();
	}

	private List<Integer> those(IntPredicate which) {
		return IntStream.range(0, this.transitions.size()).filter(which).boxed().toList();
	}

	private List<Transition> at(List<Integer> places) {
		return places.stream().map(this.transitions::get).toList();
	}

	private void remove(List<Integer> which) {
		if (which.isEmpty()) {
			return;
		}
		Set<String> removed = this.work.dialect().deleteHeld(this.statements, at(which));
		for (int i : which) {
			if (removed.remove(this.transitions.get(i).id())) {
				this.reply[i] = Settled.APPLIED;
			}
		}
	}

	private void move(List<Integer> which) {
		if (which.isEmpty()) {
			return;
		}
		List<Long> places = this.work.dialect().next(this.statements, "place", which.size());
		List<@Nullable Object[]> rows = new ArrayList<>();
		for (int n = 0; n < which.size(); n++) {
			Transition transition = this.transitions.get(which.get(n));
			boolean front = transition.to() == To.FRONT;
			rows.add(row(transition, front ? -places.get(which.size() - 1 - n) : places.get(n)));
		}
		int[] moved = this.statements.batchCounted(MOVE, rows);
		for (int n = 0; n < moved.length; n++) {
			if (moved[n] != 0) {
				this.reply[which.get(n)] = Settled.APPLIED;
				moved(this.transitions.get(which.get(n)));
			}
		}
	}

	private @Nullable Object[] row(Transition transition, long place) {
		long at = EpochMillis.of(transition.at());
		boolean waits = transition.to() == To.SCHEDULED;
		boolean ends = !waits && transition.to() != To.FRONT;
		int state = switch (transition.to()) {
			case SCHEDULED -> (at > this.now) ? StateColumn.SCHEDULED : StateColumn.READY;
			case FRONT -> StateColumn.READY;
			case DEAD -> StateColumn.DEAD;
			case CANCELLED -> StateColumn.CANCELLED;
			case SUCCEEDED, REMOVED -> StateColumn.SUCCEEDED;
		};
		return new @Nullable Object[] { state, place, waits ? at : null, (waits || ends) ? at : null,
				JsonColumns.trail(transition.trail()), transition.trail().attempt(), state, state, transition.id(),
				transition.token() };
	}

	private void moved(Transition transition) {
		if (transition.to() == To.FRONT) {
			new UniqueKeys(this.work, this.now).takeAgain(transition.id(), false);
			this.work.signalReady(transition.queue(), this.now);
		}
		else if (transition.to() == To.SCHEDULED) {
			this.work.signalReady(transition.queue(), Math.max(EpochMillis.of(transition.at()), this.now));
		}
	}

	/**
	 * Find out why transitions were not applied.
	 */
	private void explain(List<Integer> which) {
		if (which.isEmpty()) {
			return;
		}
		Map<String, Integer> applied = new HashMap<>();
		those((i) -> this.reply[i] == Settled.APPLIED).forEach((i) -> applied.put(this.transitions.get(i).id(), i));
		Map<String, Long> tokens = new HashMap<>();
		this.statements.query("select id, token from {job} where token is not null and id in (??)",
				(row, n) -> tokens.put(row.getString(1), row.getLong(2)),
				at(which).stream().map(Transition::id).toList());
		for (int i : which) {
			Transition transition = this.transitions.get(i);
			Integer place = applied.get(transition.id());
			boolean lost = (place != null) ? i < place
					: tokens.getOrDefault(transition.id(), transition.token()) != transition.token();
			this.reply[i] = lost ? Settled.LOST : Settled.GONE;
		}
	}

	/**
	 * Signal queues whose limit kept a claim from getting more. In the transaction of a
	 * handler that waits for the commit: others need these queues, and may have changed
	 * them since it began.
	 */
	private void signalLimited() {
		List<String> queues = at(those((i) -> this.reply[i] == Settled.APPLIED)).stream()
			.map(Transition::queue)
			.distinct()
			.toList();
		if (queues.isEmpty()) {
			return;
		}
		List<String> limited = this.statements.query("select name from {queue} where limit_hit <> 0 and name in (??)",
				(row, n) -> row.getString(1), queues);
		if (limited.isEmpty()) {
			return;
		}
		if (this.work.mayLock()) {
			signalLimited(this.work, limited, this.now);
		}
		else {
			this.work.afterCommit((own) -> signalLimited(own, limited, this.now));
		}
	}

	/**
	 * Queues with a limit are locked for it: a claim may just have counted what ends
	 * here, found the limit reached, and not have written that.
	 */
	private static void signalLimited(UnitOfWork work, List<String> limited, long now) {
		Statements statements = work.statements();
		List<String> hit = new ArrayList<>();
		statements.query(
				"select name, limit_hit from {queue} where name in (??) order by name" + work.dialect().locking(),
				(row, n) -> row.getInt(2) == QueueSnapshot.LIMIT_HIT && hit.add(row.getString(1)), limited);
		for (String queue : hit) {
			statements.update("update {queue} set limit_hit = ? where name = ?", QueueSnapshot.LIMITED, queue);
			work.signalReady(queue, now);
		}
	}

	/**
	 * What a transition ends; a second end of it in one batch changes nothing.
	 *
	 * @param job the job
	 * @param token the token it is held under
	 */
	private record Held(String job, long token) {

		static Held by(Transition transition) {
			return new Held(transition.id(), transition.token());
		}

	}

}
