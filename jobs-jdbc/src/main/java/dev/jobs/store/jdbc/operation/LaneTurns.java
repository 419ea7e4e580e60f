package dev.jobs.store.jdbc.operation;

import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BooleanSupplier;

import dev.jobs.store.ClaimRequest.Quota;
import dev.jobs.store.jdbc.operation.ReadyJobs.Wanted;
import dev.jobs.store.jdbc.row.StoredJob;
import dev.jobs.store.jdbc.sql.Statements;
import dev.jobs.store.jdbc.worker.DeliveryRows;
import dev.jobs.store.jdbc.worker.Gates;
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
			) select lane from leap where lane is not null order by number""".formatted(next("?"), next("leap.lane"));

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

	private final @Nullable Gates gates;

	private String last;

	/** Whether no lane may give more, as far as this claim has seen. */
	private boolean exhausted;

	/**
	 * Look at the lanes of a queue, which is locked if these are limited.
	 */
	LaneTurns(Statements statements, DeliveryRows deliveries, Quota quota, @Nullable Gates gates,
			Set<String> passedOver) {
		this.statements = statements;
		this.quota = quota;
		this.gates = gates;
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
			if (this.gates != null) {
				this.gates.load(names);
			}
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
	 * Return what is wanted of lanes: equal numbers of each.
	 */
	List<Wanted> wanting(List<String> lanes, int count) {
		return lanes.stream()
			.map((lane) -> new Wanted(this.quota.queue(), Math.min(count / lanes.size(), room(lane)), lane))
			.toList();
	}

	private int room(String lane) {
		int room = (this.quota.maxInLane() > 0 && !lane.isEmpty())
				? this.quota.maxInLane() - this.running.getOrDefault(lane, 0) : Integer.MAX_VALUE;
		return (this.gates != null && !lane.isEmpty()) ? Math.min(room, this.gates.permits(lane)) : room;
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
		if (this.gates != null) {
			given.forEach(this.gates::started);
		}
	}

}
