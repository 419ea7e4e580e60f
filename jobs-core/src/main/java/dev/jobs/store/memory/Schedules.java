package dev.jobs.store.memory;

import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;

import dev.jobs.Enqueued;
import dev.jobs.store.NewJob;
import dev.jobs.store.NewSchedule;
import dev.jobs.store.Tick;
import dev.jobs.store.TickReply;
import dev.jobs.store.view.ScheduleView;
import dev.jobs.store.view.ScheduleView.Fired;
import org.jspecify.annotations.Nullable;

/**
 * The schedules and their latest ticks, which outlive the jobs enqueued for them.
 */
final class Schedules {

	private final Map<String, Schedule> byName = new TreeMap<>();

	private final Set<String> paused = new HashSet<>();

	/**
	 * Return whether a tick would be claimed, and its job be enqueued if it has one.
	 */
	boolean takes(Tick tick) {
		Schedule known = this.byName.get(tick.schedule().name());
		return (known == null || tick.instant().isAfter(known.latest)) && !this.paused.contains(tick.schedule().name());
	}

	TickReply fire(Tick tick, Instant now, Function<NewJob, Enqueued> enqueue) {
		Schedule known = this.byName.get(tick.schedule().name());
		NewJob job = tick.job();
		if (job == null) {
			return new TickReply(null, register(known, tick, now).latest);
		}
		if (known != null && known.isRepeat(tick, job)) {
			return new TickReply(known.enqueued, known.latest, true);
		}
		if (known != null && !tick.instant().isAfter(known.latest)) {
			return new TickReply(null, known.latest);
		}
		if (this.paused.contains(tick.schedule().name())) {
			Schedule passed = (known != null) ? known : add(tick, now);
			passed.passOver(tick.instant());
			passed.touchedAt = now;
			return new TickReply(null, passed.latest);
		}
		Enqueued enqueued = enqueue.apply(job);
		Schedule fired = (known != null) ? known : add(tick, now);
		fired.fire(tick, now, job, enqueued);
		return new TickReply(enqueued, fired.latest);
	}

	void pause(String name) {
		this.paused.add(name);
	}

	boolean resume(String name, Instant now) {
		Schedule schedule = this.byName.get(name);
		boolean resumed = this.paused.remove(name);
		if (resumed && schedule != null && schedule.latest.isBefore(now)) {
			schedule.passOver(now);
		}
		return resumed;
	}

	void removeUntouchedSince(Instant before) {
		this.byName.values().removeIf((schedule) -> schedule.touchedAt.isBefore(before));
	}

	void removeAll() {
		this.byName.clear();
		this.paused.clear();
	}

	List<ScheduleView> views() {
		return this.byName.values().stream().map((schedule) -> schedule.view(this.paused)).toList();
	}

	Optional<ScheduleView> view(String name) {
		return Optional.ofNullable(this.byName.get(name)).map((schedule) -> schedule.view(this.paused));
	}

	private Schedule register(@Nullable Schedule known, Tick tick, Instant now) {
		Schedule schedule = (known != null) ? known : add(tick, now);
		schedule.register(tick, now);
		return schedule;
	}

	private Schedule add(Tick tick, Instant now) {
		Schedule added = new Schedule(tick, now);
		this.byName.put(tick.schedule().name(), added);
		return added;
	}

	private static final class Schedule {

		private NewSchedule registered;

		private Instant latest;

		private Instant touchedAt;

		/** What the latest tick offered and got, to be returned if it is repeated. */
		private @Nullable String offered;

		private @Nullable Enqueued enqueued;

		private final Deque<Fired> fired = new ArrayDeque<>();

		Schedule(Tick tick, Instant now) {
			this.registered = tick.schedule();
			this.latest = tick.instant();
			this.touchedAt = now;
		}

		boolean isRepeat(Tick tick, NewJob job) {
			return tick.instant().equals(this.latest) && job.id().equals(this.offered);
		}

		void register(Tick tick, Instant now) {
			if (!tick.schedule().definition().equals(this.registered.definition())
					&& tick.instant().isAfter(this.latest)) {
				passOver(tick.instant());
				this.fired.clear();
			}
			this.registered = tick.schedule();
			this.touchedAt = now;
		}

		void fire(Tick tick, Instant now, NewJob job, Enqueued enqueued) {
			this.latest = tick.instant();
			this.touchedAt = now;
			this.offered = job.id();
			this.enqueued = enqueued;
			this.fired.add(new Fired(tick.instant(), now, enqueued.outcome(), enqueued.id()));
			if (this.fired.size() > ScheduleView.FIRED_KEPT) {
				this.fired.remove();
			}
		}

		void passOver(Instant tick) {
			this.latest = tick;
			this.offered = null;
			this.enqueued = null;
		}

		ScheduleView view(Set<String> paused) {
			return new ScheduleView(this.registered.name(), this.registered.definition(), this.registered.queue(),
					this.latest, paused.contains(this.registered.name()), List.copyOf(this.fired));
		}

	}

}
