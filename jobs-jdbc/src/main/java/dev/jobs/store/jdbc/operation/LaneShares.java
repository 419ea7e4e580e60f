package dev.jobs.store.jdbc.operation;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Stream;

import dev.jobs.Urgency;
import dev.jobs.store.ClaimRequest.Quota;
import dev.jobs.store.jdbc.operation.ReadyJobs.Wanted;
import dev.jobs.store.jdbc.row.StoredJob;
import dev.jobs.store.support.Standing;

/**
 * What lanes give at once: equal numbers of jobs, in each lane the less urgent ones whose
 * turn it is and then the most urgent.
 */
final class LaneShares {

	private final Quota quota;

	private final LaneTurns lanes;

	private final int turn;

	private final int count;

	/** How many jobs are still wanted of each lane. */
	private final Map<String, Integer> left = new HashMap<>();

	private final List<Given> given = new ArrayList<>();

	/**
	 * Share a number of jobs.
	 * @param before how many jobs the lanes have given in this claim
	 */
	LaneShares(Quota quota, LaneTurns lanes, int before, int count) {
		this.quota = quota;
		this.lanes = lanes;
		this.turn = quota.turn() + before;
		this.count = count;
	}

	/**
	 * Return whether less urgent jobs may have a turn.
	 */
	boolean haveTurns() {
		return Stream.of(Urgency.values()).anyMatch((urgency) -> turns(urgency, this.count) > 0);
	}

	private int turns(Urgency urgency, int starts) {
		return Standing.turns(urgency, this.turn, starts);
	}

	/**
	 * Hold jobs of lanes.
	 * @param open the lanes, in the order of their turns
	 * @param unnamed whether jobs without a lane may be ready, but not in line
	 * @param hold holds jobs
	 * @return the jobs
	 */
	List<StoredJob> hold(List<String> open, boolean unnamed, Function<List<Wanted>, List<StoredJob>> hold) {
		Map<String, Integer> shares = new HashMap<>();
		open.forEach((lane) -> shares.put(lane, Math.min(this.count / open.size(), this.lanes.room(lane))));
		this.left.putAll(shares);
		Predicate<String> mixed = (lane) -> lane.isEmpty() ? unnamed : this.lanes.isMixed(lane);
		for (Urgency urgency : Urgency.values()) {
			take(open.stream()
				.filter(mixed)
				.map((lane) -> wanted(lane, turns(urgency, shares.getOrDefault(lane, 0)), urgency, urgency)), hold);
		}
		take(open.stream()
			.map((lane) -> (lane.isEmpty() && !unnamed) ? all(lane, Urgency.NORMAL, Urgency.NORMAL)
					: all(lane, Urgency.URGENT, lane.isEmpty() ? Urgency.HIGH : Urgency.LOW)),
				hold);
		if (unnamed && shares.containsKey("")) {
			take(Stream.of(all("", Urgency.NORMAL, Urgency.NORMAL)), hold);
			take(Stream.of(all("", Urgency.LOW, Urgency.LOW)), hold);
		}
		return this.given.stream()
			.sorted(Comparator.comparing((Given each) -> open.indexOf(each.lane())).thenComparing(Given::urgency))
			.map(Given::job)
			.toList();
	}

	/**
	 * Return whether the jobs without a lane were fewer than wanted.
	 */
	boolean areUnnamedSpent() {
		return this.left.getOrDefault("", 0) > 0;
	}

	private Wanted all(String lane, Urgency from, Urgency to) {
		return wanted(lane, Integer.MAX_VALUE, from, to);
	}

	private Wanted wanted(String lane, int most, Urgency from, Urgency to) {
		int wanted = Math.min(most, this.left.getOrDefault(lane, 0));
		boolean inLine = lane.isEmpty() && from == Urgency.NORMAL;
		return inLine ? new Wanted(this.quota.queue(), wanted) : new Wanted(this.quota.queue(), wanted, lane, from, to);
	}

	private void take(Stream<Wanted> all, Function<List<Wanted>, List<StoredJob>> hold) {
		List<Wanted> wanted = all.filter((each) -> each.count() > 0).toList();
		if (wanted.isEmpty()) {
			return;
		}
		for (StoredJob job : hold.apply(wanted)) {
			Standing standing = job.standing();
			String lane = Objects.requireNonNullElse(standing.lane(), "");
			this.given.add(new Given(job, lane, standing.urgency()));
			this.left.merge(lane, -1, Integer::sum);
		}
	}

	private record Given(StoredJob job, String lane, Urgency urgency) {

	}

}
