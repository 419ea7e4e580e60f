package dev.jobs.engine;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.function.Predicate;

import dev.jobs.EnqueueOptions;
import dev.jobs.HandlerOptions;
import dev.jobs.JobFilter;
import dev.jobs.JobState;
import dev.jobs.LaneStatus;
import dev.jobs.QueueStatistics;
import dev.jobs.QueueStatus;
import dev.jobs.Rate;
import dev.jobs.UnknownNameException;
import dev.jobs.engine.settings.HandlerRegistry.Registered;
import dev.jobs.engine.settings.OperatorSettings.Kind;
import dev.jobs.operations.LaneOperations;
import dev.jobs.operations.QueueOperations;
import dev.jobs.store.Change;
import dev.jobs.store.Change.SetLane;
import dev.jobs.store.view.LaneSettingsView.Rule;
import dev.jobs.store.Changed;
import dev.jobs.store.view.JobInspector;
import dev.jobs.store.view.JobInspector.Period;
import dev.jobs.store.view.LaneSettingsView;
import dev.jobs.store.view.LaneView;
import dev.jobs.store.view.QueueView;
import dev.jobs.store.view.SettingsView.Value;
import dev.jobs.store.view.WorkerView;
import org.jspecify.annotations.Nullable;

/**
 * A queue of the store.
 *
 * @param name its name
 * @param by who changes it, or {@code null} if that is not known
 * @param stored reads and changes it
 */
record StoredQueue(String name, @Nullable String by, StoredJobs stored) implements QueueOperations {

	/** The most weights of lanes, since each claim names all of them. */
	private static final int MOST_WEIGHTS = 100;

	@Override
	public Optional<QueueStatus> status() {
		Instant now = this.stored.now();
		JobInspector inspector = this.stored.inspector();
		return inspector.queue(this.name, now)
			.or(() -> QueueView.served(inspector.workers(now))
				.stream()
				.filter((queue) -> queue.name().equals(this.name))
				.findFirst())
			.map((queue) -> this.stored.with(queue, this.stored.settings()));
	}

	@Override
	public void pause() {
		change(new Change.Pause(this.name, this.by));
	}

	@Override
	public void resume() {
		change(new Change.Resume(this.name));
	}

	@Override
	public void limit(int maxRunning) {
		if (maxRunning < 1) {
			throw new IllegalArgumentException(
					"'maxRunning' must be at least 1 but was " + maxRunning + "; to start no jobs, pause the queue");
		}
		change(new Change.Limit(this.name, maxRunning, this.by));
	}

	@Override
	public void removeLimit() {
		change(new Change.Limit(this.name, Change.Limit.OF_WORKERS));
	}

	@Override
	public void weight(int weight) {
		change(Kind.WEIGHT.set(this.name, weight, this.by));
	}

	@Override
	public void removeWeight() {
		change(Kind.WEIGHT.remove(this.name));
	}

	@Override
	public void attempts(int attempts) {
		change(Kind.ATTEMPTS.set(this.name, attempts, this.by));
	}

	@Override
	public void removeAttempts() {
		change(Kind.ATTEMPTS.remove(this.name));
	}

	@Override
	public List<LaneStatus> lanes(@Nullable String after, int limit) {
		return new Lanes(this).after(after, limit);
	}

	@Override
	public List<LaneStatus> busiestLanes(int limit) {
		return new Lanes(this).busiest(limit);
	}

	@Override
	public List<LaneStatus> blockedLanes(int limit) {
		return new Lanes(this).blocked(limit);
	}

	@Override
	public List<LaneStatus> lanesWithSettings(@Nullable String after, int limit) {
		return new Lanes(this).withSettings(after, limit);
	}

	@Override
	public LaneOperations lane(String name) {
		return new Lane(valid(name), this);
	}

	private static String valid(String lane) {
		return Objects.requireNonNull(EnqueueOptions.of((options) -> options.lane(lane)).getLane());
	}

	@Override
	public void rate(Rate rate) {
		change(Kind.RATE.set(this.name, rate, this.by));
	}

	@Override
	public void removeRate() {
		change(Kind.RATE.remove(this.name));
	}

	@Override
	public void rateOfLanes(Rate rate) {
		change(Kind.LANES_RATE.set(this.name, rate, this.by));
	}

	@Override
	public void removeRateOfLanes() {
		change(Kind.LANES_RATE.remove(this.name));
	}

	Changed change(Change change) {
		if (!this.stored.hasHandler(this.name) && status().isEmpty()) {
			throw new UnknownNameException("There is no queue '" + this.name
					+ "': it never had a job, no live worker serves it, and this application has no handler for it"
					+ StoredJobs.near(this.name, this.stored.inspector().queues(this.stored.now()), QueueView::name));
		}
		return this.stored.changeNamed(this.name, change);
	}

	@Override
	public List<QueueStatistics> statistics(Instant from, Instant to, Duration step) {
		return List.copyOf(this.stored.inspector().statistics(Set.of(this.name), new Period(from, to, step)));
	}

	/**
	 * The lanes of a queue.
	 */
	private static final class Lanes {

		/** How many lanes are looked at to find some. */
		private static final int LOOKED_AT = 10_000;

		/** The most jobs of these that count, of each as many as stores count. */
		private static final int JOBS_LOOKED_AT = 1_000_000;

		private static final Comparator<LaneView> BUSIEST_FIRST = Comparator
			.comparing((LaneView lane) -> lane.waiting().number())
			.thenComparing((lane) -> lane.running().number())
			.reversed();

		private static final Comparator<LaneView> LONGEST_WAIT_FIRST = Comparator.comparing(LaneView::oldestWaiting,
				Comparator.nullsLast(Comparator.naturalOrder()));

		private final StoredQueue queue;

		private final JobInspector inspector;

		private final Instant now;

		Lanes(StoredQueue queue) {
			this.queue = queue;
			this.inspector = queue.stored().inspector();
			this.now = queue.stored().now();
		}

		List<LaneStatus> after(@Nullable String after, int limit) {
			return withSettings(this.inspector.lanes(this.queue.name(), Objects.requireNonNullElse(after, ""),
					requirePossible(limit), this.now));
		}

		private static int requirePossible(int limit) {
			if (limit < 1 || limit > JobInspector.LANES_AT_ONCE) {
				throw new IllegalArgumentException(
						"'limit' must be from 1 to " + JobInspector.LANES_AT_ONCE + " but was " + limit);
			}
			return limit;
		}

		List<LaneStatus> busiest(int limit) {
			return first(BUSIEST_FIRST, (lane) -> true, limit);
		}

		List<LaneStatus> blocked(int limit) {
			return first(LONGEST_WAIT_FIRST, LaneView::blocked, limit).stream().filter(LaneStatus::blocked).toList();
		}

		private List<LaneStatus> first(Comparator<LaneView> order, Predicate<LaneView> wanted, int limit) {
			requirePossible(limit);
			List<LaneView> first = new ArrayList<>();
			List<LaneView> some;
			String after = "";
			int looked = 0;
			long jobs = 0;
			do {
				some = this.inspector.lanes(this.queue.name(), after, JobInspector.LANES_AT_ONCE, this.now);
				some.stream().filter(wanted).forEach(first::add);
				first.sort(order);
				first = new ArrayList<>(first.subList(0, Math.min(limit, first.size())));
				looked += some.size();
				jobs += some.stream()
					.mapToLong((lane) -> Math.min(lane.waiting().number(), LaneView.COUNTED_UP_TO))
					.sum();
				after = some.isEmpty() ? after : some.get(some.size() - 1).name();
			}
			while (some.size() == JobInspector.LANES_AT_ONCE && looked < LOOKED_AT && jobs < JOBS_LOOKED_AT);
			return withSettings(first);
		}

		List<LaneStatus> withSettings(@Nullable String after, int limit) {
			SortedSet<String> names = new TreeSet<>(this.inspector.laneSettings(this.queue.name()).keySet());
			names.addAll(this.queue.stored().settings().laneWeights(this.queue.name()).keySet());
			return withSettings(names.stream()
				.filter((lane) -> after == null || lane.compareTo(after) > 0)
				.limit(requirePossible(limit))
				.map((lane) -> this.inspector.lane(this.queue.name(), lane, this.now))
				.toList());
		}

		private List<LaneStatus> withSettings(List<LaneView> lanes) {
			SortedMap<String, LaneSettingsView> settings = this.inspector.laneSettings(this.queue.name());
			Map<String, Value<Integer>> weights = this.queue.stored().settings().laneWeights(this.queue.name());
			List<WorkerView> workers = this.inspector.workers(this.now);
			QueueView served = QueueView.of(this.queue.name(), true);
			Registered handler = this.queue.stored().newJobs().registry().find(this.queue.name());
			HandlerOptions own = (handler != null) ? handler.own() : null;
			return lanes.stream().<LaneStatus>map((lane) -> {
				LaneSettingsView set = settings.getOrDefault(lane.name(), LaneSettingsView.NONE);
				return lane
					.with(new LaneSettingsView(set.paused(),
							Value.over(set.limit(), (own != null) ? own.getLaneConcurrency() : null),
							Value.over(weights.get(lane.name()),
									(own != null) ? own.getLaneWeights().getOrDefault(lane.name(), 1) : null)))
					.limitedBy(served, workers);
			}).toList();
		}

	}

	/**
	 * A lane of a queue.
	 *
	 * @param name its name
	 * @param queue its queue
	 */
	private record Lane(String name, StoredQueue queue) implements LaneOperations {

		@Override
		public LaneStatus status() {
			Lanes lanes = new Lanes(this.queue);
			return lanes.withSettings(List.of(lanes.inspector.lane(this.queue.name(), this.name, lanes.now))).get(0);
		}

		@Override
		public void pause() {
			change(Rule.PAUSED, 1);
		}

		@Override
		public void resume() {
			change(Rule.PAUSED, null);
		}

		@Override
		public void limit(int maxRunning) {
			if (maxRunning < 1) {
				throw new IllegalArgumentException(
						"'maxRunning' must be at least 1 but was " + maxRunning + "; to start no jobs, pause the lane");
			}
			if (maxRunning > 1 && this.queue.stored().hasOrderedLanes(this.queue.name())) {
				throw new IllegalStateException("The lanes of '" + this.queue.name()
						+ "' are ordered, so one job of each runs at a time; its handler decides that");
			}
			change(Rule.LIMIT, maxRunning);
		}

		@Override
		public void removeLimit() {
			change(Rule.LIMIT, null);
		}

		@Override
		public void weight(int weight) {
			Change change = Kind.LANE_WEIGHT.set(Kind.ofLane(this.queue.name(), this.name), weight, this.queue.by());
			Set<String> others = this.queue.stored().settings().laneWeights(this.queue.name()).keySet();
			if (others.size() >= MOST_WEIGHTS && !others.contains(this.name)) {
				throw new IllegalStateException("Weights of " + MOST_WEIGHTS + " lanes of '" + this.queue.name()
						+ "' are stored, and there can be no more: remove some first");
			}
			this.queue.change(change);
		}

		@Override
		public void removeWeight() {
			this.queue.change(Kind.LANE_WEIGHT.remove(Kind.ofLane(this.queue.name(), this.name)));
		}

		@Override
		public int deleteWaiting() {
			return new SelectedJobs(JobFilter
				.of((only) -> only.name(this.queue.name()).lane(this.name).states(JobState.READY, JobState.SCHEDULED)),
					this.queue.by(), this.queue.stored())
				.delete((id) -> {
				});
		}

		private void change(Rule rule, @Nullable Integer value) {
			Changed changed = this.queue
				.change(new SetLane(this.queue.name(), this.name, rule, value, this.queue.by()));
			if (changed == Changed.REFUSED) {
				throw new IllegalStateException("Settings for " + SetLane.MOST + " lanes of '" + this.queue.name()
						+ "' are stored, and there can be no more: remove some first");
			}
		}

	}

}
