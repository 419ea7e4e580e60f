package dev.jobs.store.jdbc.read;

import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;

import dev.jobs.JobCount;
import dev.jobs.store.jdbc.row.EpochMillis;
import dev.jobs.store.jdbc.row.SettingsColumns;
import dev.jobs.store.jdbc.sql.Statements;
import dev.jobs.store.jdbc.worker.Deliveries;
import dev.jobs.store.jdbc.worker.DeliveryRows;
import dev.jobs.store.view.GateView;
import dev.jobs.store.view.LaneSettingsView;
import dev.jobs.store.view.LaneView;

/**
 * Reads the lanes of a queue.
 */
record LaneReader(Statements statements, DeliveryRows deliveries, String queue, Instant now) {

	/**
	 * A statement reads this many jobs, in order, so that one deep lane costs no more.
	 */
	private static final int READ = LaneView.COUNTED_UP_TO + 1;

	private static final String COUNT = "select lane, count(*), min(due_at) from (select lane, due_at from {job} "
			+ "where queue = ? and state = {laned} and lane %s ? order by lane, urgency, due_at, id limit " + READ
			+ ") seen group by lane order by lane";

	/**
	 * Read lanes behind a name. The last lane that a statement reads may have more jobs,
	 * so it is read again, unless it is the only one.
	 */
	List<LaneView> behind(String name, int limit) {
		Map<String, Integer> running = running();
		List<LaneView> lanes = new ArrayList<>();
		String after = name;
		List<Counted> found;
		boolean more;
		do {
			found = count(">", after);
			more = found.stream().mapToLong(Counted::jobs).sum() == READ;
			if (more && found.size() > 1) {
				found.remove(found.size() - 1);
			}
			for (Counted lane : found) {
				lanes.add(lane.view(running));
				after = lane.name();
			}
		}
		while (more && lanes.size() < limit);
		return withBlocks(lanes.subList(0, Math.min(limit, lanes.size())));
	}

	LaneView lane(String name) {
		Map<String, Integer> running = running();
		return withBlocks(List.of(count("=", name).stream().findFirst().orElse(new Counted(name, 0, 0)).view(running)))
			.get(0);
	}

	/**
	 * Add what keeps the jobs of lanes from starting.
	 */
	private List<LaneView> withBlocks(List<LaneView> lanes) {
		if (lanes.isEmpty()) {
			return lanes;
		}
		List<String> names = lanes.stream().map(LaneView::name).toList();
		Map<String, String> keepers = new HashMap<>();
		this.statements.query(
				"select lane, min(id) from {job} where queue = ? and lane in (??) and ahead = -1 "
						+ "and state in ({waiting}, {scheduled}, {dead}) group by lane",
				(row, n) -> keepers.put(row.getString(1), row.getString(2)), this.queue, names);
		Map<String, GateView> gates = new HashMap<>();
		this.statements.query("select lane, held_until, permit_at from {gate} where queue = ? and lane in (??)",
				(row, n) -> gates.put(row.getString(1), GateView.of(row.getLong(2), row.getLong(3), this.now)),
				this.queue, names);
		return lanes.stream()
			.map((lane) -> lane.blockedBy(keepers.get(lane.name()), gates.getOrDefault(lane.name(), GateView.OPEN)))
			.toList();
	}

	private List<Counted> count(String compared, String lane) {
		return new ArrayList<>(this.statements.query(COUNT.formatted(compared),
				(row, n) -> new Counted(row.getString(1), row.getLong(2), row.getLong(3)), this.queue, lane));
	}

	private Map<String, Integer> running() {
		return new Deliveries(this.statements, this.deliveries).runningInLanes(this.queue);
	}

	SortedMap<String, LaneSettingsView> settings() {
		SortedMap<String, LaneSettingsView> settings = new TreeMap<>();
		this.statements
			.query("select lane, " + SettingsColumns.OF_LANE + " from {lane} where queue = ?",
					(row, n) -> Objects.requireNonNullElse(
							settings.put(row.getString(1), SettingsColumns.readLane(row, 2)), LaneSettingsView.NONE),
					this.queue);
		return settings;
	}

	/**
	 * A lane that has jobs.
	 *
	 * @param name its name
	 * @param jobs how many, as far as they were counted
	 * @param firstDue when the first of them was due
	 */
	private record Counted(String name, long jobs, long firstDue) {

		LaneView view(Map<String, Integer> running) {
			JobCount waiting = (this.jobs < READ) ? JobCount.exactly(this.jobs) : JobCount.atLeast(READ - 1);
			return new LaneView(this.name, waiting, JobCount.exactly(running.getOrDefault(this.name, 0)),
					(this.jobs > 0) ? EpochMillis.instant(this.firstDue) : null);
		}

	}

}
