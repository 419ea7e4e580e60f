package dev.jobs.health;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Collectors;

import dev.jobs.JobStoreException;
import dev.jobs.cron.RecurringJob;
import dev.jobs.engine.EngineStatus;
import dev.jobs.engine.JobEngine;
import dev.jobs.engine.loop.LoopStatus;
import dev.jobs.store.support.StoreFault;
import dev.jobs.store.support.TimedCache;
import dev.jobs.store.view.JobInspector;
import dev.jobs.store.view.QueueView;
import dev.jobs.store.view.ScheduleView;
import dev.jobs.store.view.WorkerView;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.health.contributor.CompositeHealthContributor;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;

/**
 * The health of jobs in five parts: the store, the engine's loops, the backlog, unserved
 * queues, and schedules. The store is read once for all of them, and again only after a
 * while; if it is out of reach, the parts that depend on it are unknown.
 */
public final class JobsHealth {

	private static final Duration CLOCK_IS_WRONG = Duration.ofSeconds(5);

	/** Few names, since a probe reads all of it every few seconds. */
	private static final int MOST_NAMED = 20;

	private static final int FEW = 20;

	private final JobEngine engine;

	private final JobInspector inspector;

	private final InstantSource clock;

	private final HealthLimits limits;

	private final TimedCache<Seen> recent;

	/**
	 * Since when this process could have fired due ticks, by a clock that may turn out to
	 * have been ahead.
	 */
	private volatile Instant since;

	private JobsHealth(JobEngine engine, JobInspector inspector, HealthLimits limits, Duration age, Duration patience) {
		this.engine = engine;
		this.inspector = inspector;
		this.clock = engine.clock();
		this.limits = limits;
		this.recent = new TimedCache<>(this::read, this.clock, age, patience);
		this.since = this.clock.instant();
	}

	/**
	 * Return the parts, which are contributed under one name.
	 * @param engine the engine of this process
	 * @param inspector reads the store
	 * @param limits the limits beyond which health is down
	 * @param age how old a reading of the store may be
	 * @param patience how long the store is waited for
	 * @return the contributor
	 */
	public static CompositeHealthContributor of(JobEngine engine, JobInspector inspector, HealthLimits limits,
			Duration age, Duration patience) {
		JobsHealth health = new JobsHealth(engine, inspector, limits, age, patience);
		Map<String, HealthIndicator> parts = new LinkedHashMap<>();
		parts.put("store", health::store);
		parts.put("loops", health::loops);
		parts.put("backlog", health.ofStore(health::backlog));
		parts.put("served", health.ofStore(health::served));
		parts.put("schedules", health.ofStore(health::schedules));
		return CompositeHealthContributor.fromMap(parts);
	}

	private Seen read() {
		List<StoreFault> faults = this.inspector.faults();
		Instant now = this.engine.now();
		return new Seen(faults, this.inspector.queues(now), declared(), beatsAhead(now));
	}

	/** Those put at run time may be many, so a few are read one by one. */
	private List<ScheduleView> declared() {
		Set<String> names = this.engine.recurringJobs().stream().map(RecurringJob::name).collect(Collectors.toSet());
		return (names.size() <= FEW) ? names.stream().flatMap((name) -> this.inspector.schedule(name).stream()).toList()
				: this.inspector.schedules().stream().filter((view) -> names.contains(view.name())).toList();
	}

	/**
	 * Find workers whose last beat is in the future: the clock of the store was set back,
	 * and until they beat again, or their leases are cut, nobody takes their jobs over.
	 */
	private Map<String, Object> beatsAhead(Instant now) {
		Map<String, Object> ahead = new TreeMap<>();
		for (WorkerView worker : this.inspector.workers(now)) {
			if (exceeds(Duration.between(now, worker.lastBeat()), CLOCK_IS_WRONG)) {
				ahead.put(worker.id(), worker.lastBeat());
			}
		}
		return ahead;
	}

	private Health store() {
		String kind = this.inspector.store().kind();
		try {
			Seen seen = this.recent.get();
			List<StoreFault> faults = seen.faults;
			Health.Builder health = builder(seen.beatsAhead, "beatsAhead");
			if (faults.stream().anyMatch(StoreFault::stopsWork)) {
				health.down();
			}
			if (!faults.isEmpty()) {
				health.withDetail("faults", faults.stream().map(StoreFault::text).toList());
			}
			return health.withDetail("kind", kind).build();
		}
		catch (JobStoreException ex) {
			return Health.down().withDetail("kind", kind).withDetail("error", String.valueOf(ex.getMessage())).build();
		}
	}

	private HealthIndicator ofStore(Function<Seen, Health> part) {
		return () -> {
			try {
				return part.apply(this.recent.get());
			}
			catch (JobStoreException ex) {
				return Health.unknown().build();
			}
		};
	}

	private Health loops() {
		EngineStatus status = this.engine.status();
		Map<String, Object> late = new TreeMap<>();
		for (LoopStatus loop : status.loops()) {
			if (exceeds(loop.lag(), this.limits.loopLag())) {
				late.put(loop.name(), Map.of("lastSuccess", loop.lastSuccess(), "faults", loop.faults()));
			}
		}
		Health.Builder health = builder(late, "late");
		if (!status.refused().isEmpty()) {
			// All other jobs continue, so the application need not be taken out of
			// service.
			health.withDetail("refused", status.refused());
		}
		return health.withDetail("running", status.running()).build();
	}

	private Health backlog(Seen seen) {
		Map<String, Object> waiting = waiting(seen, (queue) -> !queue.paused(), this.limits.readyWait());
		return builder(waiting, "waitingSince").withDetail(
				seen.queues.stream().anyMatch((queue) -> queue.atLeast().contains("ready")) ? "readyAtLeast" : "ready",
				seen.queues.stream().mapToLong(QueueView::ready).sum())
			.build();
	}

	private Health served(Seen seen) {
		Predicate<QueueView> unserved = (queue) -> !queue.served();
		List<String> names = seen.queues.stream()
			.filter(unserved.and((queue) -> queue.waiting() > 0))
			.map(QueueView::name)
			.toList();
		Health.Builder health = builder(waiting(seen, unserved, this.limits.unserved()), "waitingSince")
			.withDetail("noWorkerFor", names.stream().limit(MOST_NAMED).toList());
		return countOthers(health, "noWorkerFor", names.size()).build();
	}

	private Map<String, Object> waiting(Seen seen, Predicate<QueueView> which, @Nullable Duration limit) {
		Instant now = this.clock.instant();
		Map<String, Object> waiting = new TreeMap<>();
		for (QueueView queue : seen.queues) {
			Instant oldest = queue.oldestReady();
			if (oldest != null && which.test(queue) && exceeds(Duration.between(oldest, now), limit)) {
				waiting.put(queue.name(), oldest);
			}
		}
		return waiting;
	}

	private Health schedules(Seen seen) {
		Instant now = this.clock.instant();
		if (now.isBefore(this.since)) {
			this.since = now;
		}
		Map<String, ScheduleView> known = new TreeMap<>();
		seen.schedules.stream()
			.filter((schedule) -> !schedule.paused())
			.forEach((schedule) -> known.put(schedule.name(), schedule));
		Map<String, Object> overdue = new TreeMap<>();
		Map<String, Object> ahead = new TreeMap<>();
		for (RecurringJob recurring : this.engine.recurringJobs()) {
			ScheduleView view = known.get(recurring.name());
			if (view == null) {
				continue;
			}
			ScheduleView.Put override = view.put();
			Instant due = (override != null) ? override.next() : recurring.schedule().next(view.latest());
			if (due != null && exceeds(Duration.between(later(due, this.since), now), this.limits.scheduleDelay())) {
				overdue.put(view.name(), due);
			}
			if (exceeds(Duration.between(now, view.latest()), this.limits.scheduleDelay())) {
				ahead.put(view.name(), view.latest());
			}
		}
		Health.Builder health = builder(overdue, "overdueSince");
		Map<String, String> faults = this.engine.scheduleFaults();
		if (!faults.isEmpty()) {
			// All others tick, so it is no reason to take the application out of service.
			health.withDetail("faults",
					faults.entrySet()
						.stream()
						.limit(MOST_NAMED)
						.map((fault) -> fault.getKey() + ": " + fault.getValue())
						.toList());
			countOthers(health, "faults", faults.size());
		}
		return (ahead.isEmpty() ? health : health.down().withDetail("firedAheadUntil", ahead)).build();
	}

	private static Instant later(Instant one, Instant other) {
		return one.isAfter(other) ? one : other;
	}

	private static boolean exceeds(Duration duration, @Nullable Duration limit) {
		return limit != null && duration.compareTo(limit) > 0;
	}

	private static Health.Builder builder(Map<String, Object> ill, String detail) {
		if (ill.isEmpty()) {
			return Health.up();
		}
		Map<String, Object> named = new LinkedHashMap<>();
		ill.entrySet().stream().limit(MOST_NAMED).forEach((each) -> named.put(each.getKey(), each.getValue()));
		return countOthers(Health.down().withDetail(detail, named), detail, ill.size());
	}

	private static Health.Builder countOthers(Health.Builder health, String detail, int all) {
		return (all > MOST_NAMED) ? health.withDetail(detail + "Others", all - MOST_NAMED) : health;
	}

	/**
	 * One reading of the store.
	 *
	 * @param faults the faults of the store
	 * @param queues the queues
	 * @param schedules the schedules
	 * @param beatsAhead the workers whose last beat is in the future, and its time
	 */
	private record Seen(List<StoreFault> faults, List<QueueView> queues, List<ScheduleView> schedules,
			Map<String, Object> beatsAhead) {

	}

}
