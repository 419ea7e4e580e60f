package dev.jobs.store.jdbc.operation;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
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
import dev.jobs.store.jdbc.row.StoredJob;
import dev.jobs.store.jdbc.sql.Statements;
import dev.jobs.store.jdbc.worker.DeliveryRows;
import dev.jobs.store.support.Standing;

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
			) select lane from leap where lane is not null order by number""".formatted(next("?"), next("leap.lane"));

	/** The same, with the most and the least urgent job of each lane. */
	private static final String LEAP_WITH_URGENCIES = LEAP.replace("select lane from",
			"select lane, (%s), (%s) from".formatted(end(""), end(" desc")));

	/** Nothing runs under a token before the first that any worker holds. */
	private static final String RUNNING = """
			select j.lane, count(*) from (select min(d.token) as first from %s d where d.queue in (??)) q
			join {job} j on j.token >= q.first
			where j.queue = ? and j.state = {running} and j.lane is not null group by j.lane""";

	private static final int STEP = 1000;

	private final Statements statements;

	private final Quota quota;

	/** The jobs that the store has refused to change. */
	private final Set<String> passedOver;

	/** How many jobs of each lane run, if they are limited. */
	private final Map<String, Integer> running = new HashMap<>();

	private String last;

	/** The lanes in which some jobs are more urgent than others. */
	private final Set<String> mixed = new HashSet<>();

	/** Whether no lane may give more, as far as this claim has seen. */
	private boolean exhausted;

	/**
	 * Look at the lanes of a queue, which is locked if these are limited.
	 */
	LaneTurns(Statements statements, DeliveryRows deliveries, Quota quota, Set<String> passedOver) {
		this.statements = statements;
		this.quota = quota;
		this.passedOver = passedOver;
		this.last = quota.after();
		if (quota.maxInLane() > 0) {
			statements.query(RUNNING.formatted(deliveries.source()),
					(row, n) -> this.running.put(row.getString(1), row.getInt(2)),
					deliveries.with(List.of(quota.queue()), quota.queue()));
		}
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
		if (!this.exhausted) {
			collect(open, this.last, most, urgencies);
		}
		if (open.size() < most && unnamed.getAsBoolean()) {
			open.add("");
		}
		if (!this.exhausted && open.size() < most && !this.last.isEmpty()) {
			collect(open, "", most, urgencies);
		}
		return List.copyOf(open);
	}

	/**
	 * Collect lanes behind another, in steps that grow, since full ones are passed over.
	 */
	private void collect(Set<String> open, String behind, int most, boolean urgencies) {
		String from = behind;
		int step = most - open.size();
		List<String> names;
		do {
			names = leap(from, step, urgencies);
			names.stream().filter((lane) -> open.size() < most && room(lane) > 0).forEach(open::add);
			from = names.isEmpty() ? from : names.get(names.size() - 1);
		}
		while (names.size() == step && open.size() < most && (step = Math.min(2 * step, STEP)) > 0);
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
	 * Return the query of the urgency of one end of a lane.
	 */
	private static String end(String direction) {
		return "select j.urgency from {job} j where j.queue = ? and j.state = {laned} and j.lane = leap.lane "
				+ "order by j.urgency" + direction + " limit 1";
	}

	private List<String> leap(String after, int most, boolean urgencies) {
		String queue = this.quota.queue();
		if (!urgencies) {
			return this.statements.query(LEAP, (row, n) -> row.getString(1), queue, after, this.passedOver, queue,
					this.passedOver, most);
		}
		return this.statements.query(LEAP_WITH_URGENCIES, (row, n) -> {
			if (row.getInt(2) != row.getInt(3)) {
				this.mixed.add(row.getString(1));
			}
			return row.getString(1);
		}, queue, after, this.passedOver, queue, this.passedOver, most, queue, queue);
	}

	/**
	 * Return how many jobs of a lane may start.
	 */
	int room(String lane) {
		return (this.quota.maxInLane() > 0 && !lane.isEmpty())
				? this.quota.maxInLane() - this.running.getOrDefault(lane, 0) : Integer.MAX_VALUE;
	}

	/**
	 * Note what lanes gave. If these were fewer than wanted, there are no others, so that
	 * none may give more if each is empty or full.
	 * @param lanes the lanes, in their order
	 * @param count how many jobs were wanted of all
	 * @param jobs the jobs
	 */
	void gave(List<String> lanes, int count, List<StoredJob> jobs) {
		this.last = lanes.get(lanes.size() - 1);
		Map<String, Integer> given = new HashMap<>();
		jobs.forEach((job) -> given.merge(job.lane(), 1, Integer::sum));
		int each = count / lanes.size();
		boolean may = lanes.stream().anyMatch((lane) -> {
			int got = given.getOrDefault(lane, 0);
			return !lane.isEmpty() && got == each && room(lane) > got;
		});
		this.exhausted |= lanes.size() < count && !may;
		if (this.quota.maxInLane() > 0) {
			given.forEach((lane, got) -> this.running.merge(lane, got, Integer::sum));
		}
	}

	/**
	 * What lanes give at once: equal numbers of jobs, in each lane the less urgent ones
	 * whose turn it is and then the most urgent.
	 */
	static final class Shares {

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
		Shares(Quota quota, LaneTurns lanes, int before, int count) {
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
			return inLine ? new Wanted(this.quota.queue(), wanted)
					: new Wanted(this.quota.queue(), wanted, lane, from, to);
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
