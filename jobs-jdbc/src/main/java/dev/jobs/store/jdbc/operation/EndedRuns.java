package dev.jobs.store.jdbc.operation;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

import dev.jobs.JobState;
import dev.jobs.store.Transition.To;
import dev.jobs.store.Transition;
import dev.jobs.store.jdbc.row.EpochMillis;
import dev.jobs.store.jdbc.row.JsonColumns;
import dev.jobs.store.jdbc.row.KeptEnd;
import dev.jobs.store.jdbc.row.KeyColumns;
import dev.jobs.store.jdbc.row.StateColumn;
import dev.jobs.store.jdbc.saved.SavedValues;
import dev.jobs.store.jdbc.signal.Signal;
import dev.jobs.store.jdbc.sql.Dialect.Deleted;
import dev.jobs.store.jdbc.sql.Statements;
import dev.jobs.store.jdbc.sql.UnitOfWork;
import dev.jobs.store.jdbc.worker.Gates;
import org.jspecify.annotations.Nullable;

/**
 * Ends runs. Only here do jobs stop running: they are deleted together, kept as ended, or
 * {@linkplain ReadyLine put back}; then there is room below the limits of their queues.
 */
final class EndedRuns {

	private static final String KEEP = "update {job} set state = ?, since = ?, token = null, cancel = null, "
			+ "progress = null, trail = ?, attempt = ?, ahead = case when coalesce(lane, '') = '' then 0 else ? end, held_key = case when ? = {dead} then "
			+ KeyColumns.heldIn(JobState.DEAD) + " else null end where id = ? and token = ?";

	private final UnitOfWork work;

	private final Statements statements;

	private final long now;

	/** Whether each statement commits itself. */
	private final boolean committed;

	EndedRuns(UnitOfWork work, long now, boolean committed) {
		this.work = work;
		this.statements = work.statements();
		this.now = now;
		this.committed = committed;
	}

	/**
	 * End the runs of jobs that are held under the tokens of their transitions. Of two of
	 * one job the one with the greater token was applied, since tokens grow.
	 * @return the applied transitions
	 */
	List<Transition> end(Collection<Transition> transitions) {
		List<Transition> ended = new ArrayList<>();
		Set<String> queues = new TreeSet<>();
		List<Transition> removed = those(transitions, To.REMOVED);
		if (!removed.isEmpty()) {
			Deleted deleted = this.work.dialect().deleteHeld(this.statements, removed);
			if (deleted.ids().size() == removed.size()) {
				ended.addAll(removed);
			}
			else {
				removed.stream()
					.sorted(Comparator.comparingLong(Transition::token).reversed())
					.filter((transition) -> deleted.ids().remove(transition.id()))
					.forEach(ended::add);
			}
			queues.addAll(deleted.queues());
		}
		List<Transition> moved = new ArrayList<>(new ReadyLine(this.work, this.now)
			.putBack(those(transitions, To.SCHEDULED, To.WAITING, To.FRONT, To.HELD_BACK)));
		List<Transition> kept = those(transitions, To.SUCCEEDED, To.CANCELLED, To.DEAD);
		moved.addAll(this.statements.changed(KEEP, kept, kept.stream().map(EndedRuns::row).toList()));
		this.work.dialect().keep(this.statements, KeptEnd.of(moved));
		moved.forEach((transition) -> queues.add(transition.queue()));
		ended.addAll(moved);
		new SavedValues(this.statements).forget(ended.stream()
			.filter((transition) -> transition.saved() && transition.endsForGood())
			.map(Transition::id)
			.toList());
		ended.stream()
			.filter((transition) -> transition.end() != null)
			.forEach((transition) -> this.work.signal(Signal.Kind.ENDED, transition.id()));
		holdBack(those(moved, To.HELD_BACK));
		signalLimited(queues);
		return ended;
	}

	/**
	 * Hold back queues or lanes. All queues are locked first, in the order of their
	 * names, as claims lock them.
	 */
	private void holdBack(List<Transition> holds) {
		if (!holds.isEmpty() && this.work.mayLock()) {
			this.statements.query(
					"select name from {queue} where name in (??) order by name" + this.work.dialect().locking(),
					(row, n) -> row.getString(1), holds.stream().map(Transition::queue).distinct().sorted().toList());
		}
		holds.forEach((hold) -> Gates.holdBack(this.work, hold));
	}

	private static List<Transition> those(Collection<Transition> transitions, To... ways) {
		return transitions.stream().filter((transition) -> Arrays.asList(ways).contains(transition.to())).toList();
	}

	private static @Nullable Object[] row(Transition transition) {
		int state = switch (transition.to()) {
			case DEAD -> StateColumn.DEAD;
			case CANCELLED -> StateColumn.CANCELLED;
			default -> StateColumn.SUCCEEDED;
		};
		return new @Nullable Object[] { state, EpochMillis.of(transition.at()), JsonColumns.trail(transition.trail()),
				transition.trail().attempt(), StateColumn.ahead(transition.keepsLane()), state, transition.id(),
				transition.token() };
	}

	/**
	 * Signal queues whose limit kept a claim from getting more. In the transaction of a
	 * handler this waits for the commit: others need these queues, and may have changed
	 * them since it began.
	 */
	private void signalLimited(Set<String> queues) {
		if (queues.isEmpty()) {
			return;
		}
		if (this.committed) {
			this.work.afterCommit((own) -> signalLimited(own, queues, this.now));
			return;
		}
		List<String> limited = this.statements.query("select name from {queue} where limit_hit <> 0 and name in (??)",
				(row, n) -> row.getString(1), queues);
		if (!limited.isEmpty() && this.work.mayLock()) {
			signalLimited(this.work, limited, this.now);
		}
		else if (!limited.isEmpty()) {
			this.work.afterCommit((own) -> signalLimited(own, limited, this.now));
		}
	}

	/**
	 * Queues with a limit are locked first: a claim may just have counted the jobs that
	 * end here, found the limit reached, and not have written that yet.
	 */
	private static void signalLimited(UnitOfWork work, Collection<String> limited, long now) {
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

}
