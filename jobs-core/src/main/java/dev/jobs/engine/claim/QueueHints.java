package dev.jobs.engine.claim;

import java.time.Instant;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.random.RandomGenerator;

import dev.jobs.store.Claim;
import dev.jobs.store.ClaimReply.Left;
import dev.jobs.store.support.Standing;
import org.jspecify.annotations.Nullable;

/**
 * What a claimer assumes about its queues: which of them may have jobs to claim, and when
 * the others will. A queue that is assumed empty costs nothing until a signal or the next
 * safety poll. Used by one thread.
 */
final class QueueHints {

	private final Set<String> all;

	private final Set<String> hot = new LinkedHashSet<>();

	private final Map<String, Instant> due = new HashMap<>();

	/** Whose turn it is in each queue with lanes. */
	private final Map<String, LaneTurn> laneTurns = new HashMap<>();

	/** How many jobs each queue gave in this round. */
	private final Map<String, Integer> turns = new HashMap<>();

	private final TreeSet<Due> byDue = new TreeSet<>();

	private final RandomGenerator random;

	QueueHints(Collection<String> queues, RandomGenerator random) {
		this.random = random;
		this.all = new LinkedHashSet<>(queues);
	}

	/**
	 * Assume that every queue has jobs.
	 */
	void heatAll() {
		this.hot.addAll(this.all);
	}

	/**
	 * Assume that a queue will have jobs.
	 * @param queue the queue
	 * @param at from when on
	 */
	void ready(String queue, Instant at) {
		Instant known = this.due.get(queue);
		if (this.all.contains(queue) && (known == null || at.isBefore(known))) {
			setDue(queue, at);
		}
	}

	/**
	 * Record what a claim reported about a queue.
	 * @param left the report
	 * @param weights returns the weights of lanes of a queue
	 * @param claims the jobs that the claim gave
	 */
	void left(Left left, Function<String, Map<String, Integer>> weights, List<Claim> claims) {
		if (!left.lane().isEmpty() || this.laneTurns.containsKey(left.queue())) {
			this.laneTurns.put(left.queue(), this.laneTurns.getOrDefault(left.queue(), LaneTurn.FIRST)
				.next(left, weights.apply(left.queue()), claims));
		}
		if (left.more()) {
			this.hot.add(left.queue());
		}
		else {
			this.hot.remove(left.queue());
		}
		setDue(left.queue(), left.nextDue());
	}

	/**
	 * Return the lane of a queue behind which the next claim begins, or an empty text.
	 */
	String lane(String queue) {
		return this.laneTurns.getOrDefault(queue, LaneTurn.FIRST).after();
	}

	/**
	 * Return how many jobs a queue gave before, by which less urgent ones have their
	 * turn. The rounds of lanes would keep step with such a count, and a lane might get
	 * the same turns only, so for lanes it is any number.
	 */
	int turn(String queue) {
		return lane(queue).isEmpty() ? this.turns.getOrDefault(queue, 0) : this.random.nextInt(Standing.ROUND);
	}

	/**
	 * Count a job that a queue gave.
	 */
	void gave(String queue) {
		this.turns.merge(queue, 1, (given, one) -> (given + one) % Standing.ROUND);
	}

	private void setDue(String queue, @Nullable Instant at) {
		Instant before = (at != null) ? this.due.put(queue, at) : this.due.remove(queue);
		if (before != null) {
			this.byDue.remove(new Due(before, queue));
		}
		if (at != null) {
			this.byDue.add(new Due(at, queue));
		}
	}

	/**
	 * Return the queues that may have jobs now.
	 * @param now the current time
	 * @return a live view, which shrinks as queues are found to be empty
	 */
	Collection<String> hot(Instant now) {
		while (!this.byDue.isEmpty() && !this.byDue.first().at().isAfter(now)) {
			Due first = this.byDue.pollFirst();
			this.due.remove(first.queue());
			this.hot.add(first.queue());
		}
		return this.hot;
	}

	/**
	 * Return when the next queue will have jobs.
	 * @return the instant, or {@code null} if not known
	 */
	@Nullable Instant nextDue() {
		return this.byDue.isEmpty() ? null : this.byDue.first().at();
	}

	private record Due(Instant at, String queue) implements Comparable<Due> {

		@Override
		public int compareTo(Due other) {
			int order = this.at.compareTo(other.at);
			return (order != 0) ? order : this.queue.compareTo(other.queue);
		}

	}

}
