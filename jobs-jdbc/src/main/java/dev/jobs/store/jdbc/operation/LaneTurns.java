package dev.jobs.store.jdbc.operation;

import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Stream;

import dev.jobs.Urgency;
import dev.jobs.store.ClaimRequest.Quota;
import dev.jobs.store.jdbc.operation.ReadyJobs.Wanted;
import dev.jobs.store.jdbc.row.SettingsColumns;
import dev.jobs.store.jdbc.row.StoredJob;
import dev.jobs.store.jdbc.sql.Statements;
import dev.jobs.store.jdbc.worker.Deliveries;
import dev.jobs.store.jdbc.worker.DeliveryRows;
import dev.jobs.store.jdbc.worker.Gates;
import dev.jobs.store.support.Standing;
import org.jspecify.annotations.Nullable;

/**
 * The lanes of a queue during a claim, which take turns.
 */
final class LaneTurns {

	/** Leaps from lane to lane, however many jobs are in each. */
	private static final String LEAP = """
			with recursive leap (lane, number) as (
				select (%s), 1 as number
				union all
				select (%s), leap.number + 1 from leap where leap.lane is not null and leap.number < ?
			) select lane, """.formatted(next("?"), next("leap.lane"));

	/** The most and the least urgent job of each lane. */
	private static final String ENDS = "(%s), (%s), ".formatted(end(""), end(" desc"));

	/** The number of places that jobs keep which are not ready. */
	private static final String PLACES = """
			(select count(*) from {job} j where j.queue = ? and j.state in ({waiting}, {scheduled}, {dead})
				and j.lane = leap.lane and j.ahead = -1)""";

	private static final String OF_LEAP = " from leap where lane is not null order by number";

	private static final int STEP = 1000;

	private final Statements statements;

	private final Quota quota;

	/** The jobs that the store has refused to change. */
	private final Set<String> passedOver;

	/** How many jobs of each lane run, if they are limited. */
	private final Map<String, Integer> running;

	/** How many jobs of a lane may run by its settings, or -1 if it is paused. */
	private final Map<String, Integer> most;

	/** How many places jobs keep that are not ready, in the lanes seen. */
	private final Map<String, Integer> kept = new HashMap<>();

	private final @Nullable Gates gates;

	private String last;

	/** The lanes in which some jobs are more urgent than others. */
	private final Set<String> mixed = new HashSet<>();

	/** Whether no lane may give more, as far as this claim has seen. */
	private boolean exhausted;

	private LaneTurns(Statements statements, Quota quota, Map<String, Integer> most, Map<String, Integer> running,
			@Nullable Gates gates, Set<String> passedOver) {
		this.statements = statements;
		this.quota = quota;
		this.most = most;
		this.running = running;
		this.gates = gates;
		this.passedOver = passedOver;
		this.last = quota.after();
	}

	/**
	 * Look at the lanes of a queue, which is locked if these are limited.
	 * @param settings whether operators have set something for some of them
	 */
	static LaneTurns of(Statements statements, DeliveryRows deliveries, Quota quota, boolean settings,
			@Nullable Gates gates, Set<String> passedOver) {
		Map<String, Integer> most = new HashMap<>();
		if (settings) {
			statements.query("select lane, " + SettingsColumns.OF_LANE + " from {lane} where queue = ?",
					(row, n) -> most.put(row.getString(1), SettingsColumns.readLane(row, 2).most(quota.maxInLane())),
					quota.queue());
		}
		boolean limited = quota.maxInLane() > 0 || !most.isEmpty();
		return new LaneTurns(statements, quota, most,
				limited ? new Deliveries(statements, deliveries).runningInLanes(quota.queue()) : new HashMap<>(), gates,
				passedOver);
	}

	boolean areLimited() {
		return this.quota.maxInLane() > 0 || !this.most.isEmpty();
	}

	/**
	 * Return the lane that gave jobs last.
	 */
	String last() {
		return this.last;
	}

	/**
	 * Return whether some jobs of a lane are more urgent than others, if the claim has
	 * asked for that.
	 */
	boolean isMixed(String lane) {
		return this.mixed.contains(lane);
	}

	/**
	 * Return whether jobs that have no lane, but are not in line, are ready.
	 */
	boolean hasUnnamed() {
		return this.statements.first(
				"select id from {job} j where j.queue = ? and j.state = {laned} and j.lane = '' "
						+ "and not (j.id in (??)) limit 1",
				(row, n) -> row.getString(1), this.quota.queue(), this.passedOver) != null;
	}

	/**
	 * Return whether jobs of any lane are ready, though it may not give any.
	 */
	boolean areWaiting() {
		return !leap("", 1, false).isEmpty();
	}

	/**
	 * Return the lanes that may give jobs, from the one behind that which gave jobs last
	 * on, and around to that one.
	 * @param most how many are wanted at most
	 * @param urgencies whether to find out which lanes are {@linkplain #isMixed mixed}
	 * @param unnamed returns whether there are jobs without a lane, whose name is empty
	 */
	List<String> open(int most, boolean urgencies, BooleanSupplier unnamed) {
		Set<String> open = new LinkedHashSet<>();
		String first = this.exhausted ? null : collect(open, this.last, most, urgencies, null);
		if (open.size() < most && unnamed.getAsBoolean()) {
			open.add("");
		}
		if (!this.exhausted && open.size() < most && !this.last.isEmpty()) {
			collect(open, "", most, urgencies, first);
		}
		this.exhausted |= open.stream().allMatch(String::isEmpty) && most > open.size();
		return List.copyOf(open);
	}

	/**
	 * Collect lanes behind another, in steps that grow, since full ones are passed over.
	 * @param end the lane before which to stop, or {@code null}
	 * @return the first lane, open or full, or {@code null} if none
	 */
	private @Nullable String collect(Set<String> open, String behind, int most, boolean urgencies,
			@Nullable String end) {
		String first = null;
		String from = behind;
		int step = most - open.size();
		List<String> names;
		do {
			names = leap(from, step, urgencies);
			if (this.gates != null) {
				this.gates.load(names);
			}
			first = (first != null || names.isEmpty()) ? first : names.get(0);
			for (String lane : names) {
				if (lane.equals(end)) {
					return first;
				}
				if (open.size() < most && room(lane) > 0) {
					open.add(lane);
				}
			}
			from = names.isEmpty() ? from : names.get(names.size() - 1);
		}
		while (names.size() == step && open.size() < most && (step = Math.min(2 * step, STEP)) > 0);
		return first;
	}

	/**
	 * Return the query of the first lane behind another. By an order, since PostgreSQL
	 * may read all jobs for a least value.
	 */
	private static String next(String lane) {
		return "select j.lane from {job} j where j.queue = ? and j.state = {laned} and j.lane > " + lane
				+ " and not (j.id in (??)) order by j.lane limit 1";
	}

	/**
	 * Return the query of one end of a lane: its urgency, or less than all of these for a
	 * job that keeps the place of the lane, and so comes before others.
	 */
	private static String end(String direction) {
		return "select 4 * j.ahead + j.urgency from {job} j where j.queue = ? and j.state = {laned} "
				+ "and j.lane = leap.lane order by j.ahead" + direction + ", j.urgency" + direction + " limit 1";
	}

	/**
	 * Return lanes behind another, and note how many places are kept in them.
	 */
	private List<String> leap(String after, int most, boolean urgencies) {
		String queue = this.quota.queue();
		List<Object> arguments = new ArrayList<>(List.of(queue, after, this.passedOver, queue, this.passedOver, most));
		arguments.addAll(Collections.nCopies((urgencies ? 2 : 0) + (areLimited() ? 1 : 0), queue));
		String sql = LEAP + (urgencies ? ENDS : "0, 0, ") + (areLimited() ? PLACES : "0") + OF_LEAP;
		return this.statements.query(sql, (row, n) -> {
			String lane = row.getString(1);
			if (row.getInt(2) >= 0 && row.getInt(2) != row.getInt(3)) {
				this.mixed.add(lane);
			}
			this.kept.put(lane, row.getInt(4));
			return lane;
		}, arguments.toArray());
	}

	/**
	 * Return how many jobs of a lane may start.
	 */
	int room(String lane) {
		int most = lane.isEmpty() ? 0 : this.most.getOrDefault(lane, this.quota.maxInLane());
		int room = (most != 0) ? most - this.running.getOrDefault(lane, 0) - this.kept.getOrDefault(lane, 0)
				: Integer.MAX_VALUE;
		return (this.gates != null && !lane.isEmpty()) ? Math.min(room, this.gates.permits(lane)) : room;
	}

	/**
	 * Note what lanes gave.
	 * @param wanted how many jobs were wanted of each lane, in their order
	 * @param all whether these are all lanes, so that none may give more if each is empty
	 * or full
	 * @param jobs the jobs
	 */
	void gave(Map<String, Integer> wanted, boolean all, List<StoredJob> jobs) {
		Map<String, Integer> given = new HashMap<>();
		jobs.forEach((job) -> given.merge(job.lane(), 1, Integer::sum));
		wanted.keySet()
			.stream()
			.filter((lane) -> !lane.isEmpty() || given.containsKey(lane))
			.forEach((lane) -> this.last = lane);
		boolean may = wanted.entrySet().stream().anyMatch((each) -> {
			int got = given.getOrDefault(each.getKey(), 0);
			return !each.getKey().isEmpty() && got == each.getValue() && room(each.getKey()) > got;
		});
		this.exhausted |= all && !may;
		if (areLimited()) {
			given.forEach((lane, got) -> this.running.merge(lane, got, Integer::sum));
		}
		if (this.gates != null) {
			given.forEach(this.gates::started);
		}
	}

	/**
	 * What lanes give at once: jobs by their weights, in each lane the less urgent ones
	 * whose turn it is and then the most urgent.
	 */
	static final class Shares {

		private final Quota quota;

		private final LaneTurns lanes;

		private final int turn;

		private final int count;

		private final Map<String, Integer> each = new LinkedHashMap<>();

		/** How many jobs are still wanted of each lane. */
		private final Map<String, Integer> left = new HashMap<>();

		private final List<Given> given = new ArrayList<>();

		/**
		 * Share a number of jobs.
		 * @param before how many jobs the lanes have given in this claim
		 */
		Shares(Quota quota, LaneTurns lanes, int before, int count) {
			this.quota = quota;
			this.lanes = lanes;
			this.turn = quota.turn() + before;
			this.count = count;
		}

		/**
		 * Return whether less urgent jobs may have a turn.
		 */
		boolean mayHaveTurns() {
			return haveTurns(this.count);
		}

		/**
		 * Return whether less urgent jobs of some of these lanes have a turn.
		 */
		boolean haveTurns(List<String> open) {
			int one = one(open);
			return open.stream()
				.mapToInt((lane) -> Math.min(one * this.quota.laneWeight(lane), this.count))
				.distinct()
				.anyMatch(this::haveTurns);
		}

		private boolean haveTurns(int starts) {
			return Stream.of(Urgency.values()).anyMatch((urgency) -> turns(urgency, starts) > 0);
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
			share(open);
			Map<String, Integer> shares = this.each;
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
			Map<String, Integer> places = new HashMap<>();
			open.forEach((lane) -> places.put(lane, places.size()));
			return this.given.stream()
				.sorted(Comparator.comparing((Given each) -> places.getOrDefault(each.lane(), -1))
					.thenComparing(Given::urgency))
				.map(Given::job)
				.toList();
		}

		private void share(List<String> open) {
			int one = one(open);
			int rest = this.count;
			for (String lane : open) {
				int most = Math.min(Math.min(one * this.quota.laneWeight(lane), this.lanes.room(lane)), rest);
				if (most > 0) {
					this.each.put(lane, most);
					rest -= most;
				}
			}
		}

		/**
		 * Return how many jobs a lane without a weight gives.
		 */
		private int one(List<String> open) {
			return Math.max(this.count / Math.max(open.stream().mapToInt(this.quota::laneWeight).sum(), 1), 1);
		}

		/**
		 * Return how many jobs were wanted of each lane, in their order.
		 */
		Map<String, Integer> each() {
			return this.each;
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
			return inLine ? new Wanted(this.quota.queue(), wanted) : new Wanted(this.quota.queue(), wanted, lane, from,
					to, !lane.isEmpty() && this.lanes.areLimited());
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

}
