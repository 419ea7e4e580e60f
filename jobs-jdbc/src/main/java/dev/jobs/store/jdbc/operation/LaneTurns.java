package dev.jobs.store.jdbc.operation;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BooleanSupplier;

import dev.jobs.store.ClaimRequest.Quota;
import dev.jobs.store.jdbc.operation.ReadyJobs.Wanted;
import dev.jobs.store.jdbc.row.SettingsColumns;
import dev.jobs.store.jdbc.row.StoredJob;
import dev.jobs.store.jdbc.sql.Statements;
import dev.jobs.store.jdbc.worker.Deliveries;
import dev.jobs.store.jdbc.worker.DeliveryRows;

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

	private static final int STEP = 1000;

	private final Statements statements;

	private final Quota quota;

	/** The jobs that the store has refused to change. */
	private final Set<String> passedOver;

	/** How many jobs of each lane run, if they are limited. */
	private final Map<String, Integer> running;

	/** How many jobs of a lane may run by its settings, or -1 if it is paused. */
	private final Map<String, Integer> most;

	private String last;

	/** Whether no lane may give more, as far as this claim has seen. */
	private boolean exhausted;

	private LaneTurns(Statements statements, Quota quota, Map<String, Integer> most, Map<String, Integer> running,
			Set<String> passedOver) {
		this.statements = statements;
		this.quota = quota;
		this.most = most;
		this.running = running;
		this.passedOver = passedOver;
		this.last = quota.after();
	}

	/**
	 * Look at the lanes of a queue, which is locked if these are limited.
	 * @param settings whether operators have set something for some of them
	 */
	static LaneTurns of(Statements statements, DeliveryRows deliveries, Quota quota, boolean settings,
			Set<String> passedOver) {
		Map<String, Integer> most = new HashMap<>();
		if (settings) {
			statements.query("select lane, " + SettingsColumns.OF_LANE + " from {lane} where queue = ?",
					(row, n) -> most.put(row.getString(1), SettingsColumns.readLane(row, 2).most(quota.maxInLane())),
					quota.queue());
		}
		boolean limited = quota.maxInLane() > 0 || !most.isEmpty();
		return new LaneTurns(statements, quota, most,
				limited ? new Deliveries(statements, deliveries).runningInLanes(quota.queue()) : new HashMap<>(),
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
	 * Return whether jobs of any lane are ready, though it may not give any.
	 */
	boolean areWaiting() {
		return !leap("", 1).isEmpty();
	}

	/**
	 * Return the lanes that may give jobs, from the one behind that which gave jobs last
	 * on, and around to that one.
	 * @param most how many are wanted at most
	 * @param unnamed returns whether there are jobs without a lane, whose name is empty
	 */
	List<String> open(int most, BooleanSupplier unnamed) {
		Set<String> open = new LinkedHashSet<>();
		if (!this.exhausted) {
			collect(open, this.last, most);
		}
		if (open.size() < most && unnamed.getAsBoolean()) {
			open.add("");
		}
		if (!this.exhausted && open.size() < most && !this.last.isEmpty()) {
			collect(open, "", most);
		}
		return List.copyOf(open);
	}

	/**
	 * Collect lanes behind another, in steps that grow, since full ones are passed over.
	 */
	private void collect(Set<String> open, String behind, int most) {
		String from = behind;
		int step = most - open.size();
		List<String> names;
		do {
			names = leap(from, step);
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

	private List<String> leap(String after, int most) {
		return this.statements.query(LEAP, (row, n) -> row.getString(1), this.quota.queue(), after, this.passedOver,
				this.quota.queue(), this.passedOver, most);
	}

	/**
	 * Return what is wanted of lanes, of each by its weight.
	 */
	List<Wanted> wanting(List<String> lanes, int count) {
		int each = Math.max(count / lanes.stream().mapToInt(this.quota::laneWeight).sum(), 1);
		List<Wanted> wanted = new ArrayList<>();
		int left = count;
		for (String lane : lanes) {
			int most = Math.min(Math.min(each * this.quota.laneWeight(lane), room(lane)), left);
			if (most > 0) {
				wanted.add(new Wanted(this.quota.queue(), most, lane));
				left -= most;
			}
		}
		return wanted;
	}

	private int room(String lane) {
		int most = lane.isEmpty() ? 0 : this.most.getOrDefault(lane, this.quota.maxInLane());
		return (most != 0) ? most - this.running.getOrDefault(lane, 0) : Integer.MAX_VALUE;
	}

	/**
	 * Note what lanes gave.
	 * @param wanted what was wanted of lanes, in their order
	 * @param all whether these are all lanes, so that none may give more if each is empty
	 * or full
	 * @param jobs the jobs
	 */
	void gave(List<Wanted> wanted, boolean all, List<StoredJob> jobs) {
		this.last = wanted.get(wanted.size() - 1).lane();
		Map<String, Integer> given = new HashMap<>();
		jobs.forEach((job) -> given.merge(job.lane(), 1, Integer::sum));
		boolean may = wanted.stream().anyMatch((each) -> {
			int got = given.getOrDefault(each.lane(), 0);
			return each.isInLane() && got == each.count() && room(each.lane()) > got;
		});
		this.exhausted |= all && !may;
		if (areLimited()) {
			given.forEach((lane, got) -> this.running.merge(lane, got, Integer::sum));
		}
	}

}
