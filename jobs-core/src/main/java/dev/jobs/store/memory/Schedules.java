package dev.jobs.store.memory;

import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;

import dev.jobs.Enqueued;
import dev.jobs.store.Change.PutSchedule;
import dev.jobs.store.Changed;
import dev.jobs.store.NewJob;
import dev.jobs.store.NewSchedule;
import dev.jobs.store.Tick;
import dev.jobs.store.TickReply;
import dev.jobs.store.view.DueSchedules;
import dev.jobs.store.view.DueSchedules.Place;
import dev.jobs.store.view.ScheduleView;
import dev.jobs.store.view.ScheduleView.Fired;
import dev.jobs.store.view.ScheduleView.Put;
import org.jspecify.annotations.Nullable;

/**
 * The schedules and their latest ticks, which outlive the jobs enqueued for them.
 */
final class Schedules {

	private final Map<String, Schedule> byName = new TreeMap<>();

	private final Set<String> paused = new HashSet<>();

	/** The schedules put at run time, by when they are next looked at. */
	private final NavigableSet<Place> due = new TreeSet<>();

	/**
	 * Return whether a tick would be claimed, and its job enqueued if it has one.
	 */
	boolean takes(Tick tick) {
		Schedule known = this.byName.get(tick.schedule().name());
		return (known == null || tick.instant().isAfter(known.latest)) && isOf(known, tick)
				&& !this.paused.contains(tick.schedule().name());
	}

	/** Whether a schedule is there in the version of a tick. */
	private static boolean isOf(@Nullable Schedule known, Tick tick) {
		return Objects.equals(tick.schedule().version(), (known != null) ? known.version() : null);
	}

	TickReply fire(Tick tick, Instant now, Function<NewJob, Enqueued> enqueue) {
		Schedule known = this.byName.get(tick.schedule().name());
		NewJob job = tick.job();
		if (job == null && tick.schedule().version() == null) {
			return new TickReply(null, register(known, tick, now));
		}
		if (!isOf(known, tick)) {
			return new TickReply(null, tick.instant());
		}
		if (known != null && job != null && known.isRepeat(tick, job)) {
			return new TickReply(known.enqueued, known.latest, true);
		}
		if (known != null
				&& (tick.instant().isBefore(known.latest) || (job != null && tick.instant().equals(known.latest)))) {
			return new TickReply(null, known.latest);
		}
		boolean fires = job != null && !this.paused.contains(tick.schedule().name());
		Enqueued enqueued = (fires && job != null) ? enqueue.apply(job) : null;
		Schedule next = (known != null) ? known : add(tick.schedule(), tick.instant(), now);
		next.touchedAt = now;
		lookAgain(next, tick.next());
		if (job == null || enqueued == null) {
			next.passOver(tick.instant());
		}
		else {
			next.fire(tick, now, job, enqueued);
		}
		return new TickReply(enqueued, next.latest);
	}

	Changed put(PutSchedule change, Instant now) {
		NewSchedule schedule = change.schedule();
		Schedule known = this.byName.get(schedule.name());
		String version = Objects.requireNonNull(schedule.version(), "A schedule that is put has a version");
		if (known != null && version.equals(known.version())) {
			return Changed.UNCHANGED;
		}
		if (known != null && !known.registered.queue().equals(schedule.queue())) {
			return Changed.REFUSED;
		}
		String replaces = (known == null) ? null
				: (known.put != null) ? known.put.replaces() : known.registered.definition();
		Instant from = now.minus(change.offset());
		Schedule put = (known != null) ? known : add(schedule, from, now);
		put.become(schedule, from);
		put.passOver(from);
		put.touchedAt = now;
		put.put = new Put(version, change.spec(), (put.put != null) ? put.put.next() : null, replaces);
		lookAgain(put, change.next());
		return (known != null) ? Changed.DONE : Changed.NEW;
	}

	Changed drop(String name, Instant now) {
		Schedule known = this.byName.get(name);
		if (known == null) {
			return Changed.NOT_FOUND;
		}
		if (known.put == null) {
			return Changed.REFUSED;
		}
		lookAgain(known, null);
		String replaces = known.put.replaces();
		if (replaces != null) {
			known.put = null;
			known.become(new NewSchedule(name, replaces, known.registered.queue()), now);
			known.passOver(now);
			known.touchedAt = now;
		}
		else {
			this.byName.remove(name);
		}
		this.paused.remove(name);
		return Changed.DONE;
	}

	void pause(String name) {
		this.paused.add(name);
	}

	boolean resume(String name, Instant from) {
		Schedule schedule = this.byName.get(name);
		boolean resumed = this.paused.remove(name);
		if (resumed && schedule != null) {
			schedule.passOver(from);
		}
		return resumed;
	}

	void removeUntouchedSince(Instant before) {
		this.byName.values().removeIf((schedule) -> {
			boolean old = schedule.touchedAt.isBefore(before) && schedule.isDeclared();
			if (old) {
				lookAgain(schedule, null);
			}
			return old;
		});
	}

	void removeAll() {
		this.byName.clear();
		this.paused.clear();
		this.due.clear();
	}

	List<ScheduleView> views() {
		return this.byName.values().stream().map((schedule) -> schedule.view(this.paused, false)).toList();
	}

	Optional<ScheduleView> view(String name) {
		return Optional.ofNullable(this.byName.get(name)).map((schedule) -> schedule.view(this.paused, true));
	}

	DueSchedules due(Instant now, @Nullable Place after, int limit) {
		Place end = new Place(now.plusNanos(1), "");
		NavigableSet<Place> left = (after != null) ? this.due.tailSet(after, false) : this.due;
		List<ScheduleView> views = new ArrayList<>();
		int room = DueSchedules.MOST_CHARACTERS;
		for (Place place : left) {
			ScheduleView view = view(place.name()).orElseThrow();
			room -= (view.put() != null) ? view.put().spec().length() : 0;
			if (place.compareTo(end) >= 0 || views.size() == limit || (room < 0 && !views.isEmpty())) {
				break;
			}
			views.add(view);
		}
		Place last = views.isEmpty() ? after : Place.of(views.get(views.size() - 1));
		Place other = (last != null) ? this.due.higher(last) : this.due.isEmpty() ? null : this.due.first();
		Place next = this.due.ceiling(end);
		return new DueSchedules(views, other != null && other.compareTo(end) < 0, (next != null) ? next.at() : null);
	}

	@Nullable Instant firstDue() {
		return this.due.isEmpty() ? null : this.due.first().at();
	}

	/**
	 * Register a schedule of the application, and return its latest tick.
	 */
	private Instant register(@Nullable Schedule known, Tick tick, Instant now) {
		Schedule schedule = (known != null) ? known : add(tick.schedule(), tick.instant(), now);
		schedule.touchedAt = now;
		if (schedule.put != null) {
			if (schedule.isOverrideOf(tick.schedule())) {
				schedule.put = new Put(schedule.put.version(), schedule.put.spec(), schedule.put.next(),
						tick.schedule().definition());
				return tick.instant();
			}
			lookAgain(schedule, null);
			schedule.put = null;
		}
		schedule.become(tick.schedule(), tick.instant());
		return schedule.latest;
	}

	private Schedule add(NewSchedule schedule, Instant latest, Instant now) {
		Schedule added = new Schedule(schedule, latest, now);
		this.byName.put(schedule.name(), added);
		return added;
	}

	private void lookAgain(Schedule schedule, @Nullable Instant next) {
		Put put = schedule.put;
		if (put != null) {
			String name = schedule.registered.name();
			if (put.next() != null) {
				this.due.remove(new Place(put.next(), name));
			}
			if (next != null) {
				this.due.add(new Place(next, name));
			}
			schedule.put = new Put(put.version(), put.spec(), next, put.replaces());
		}
	}

	private static final class Schedule {

		private NewSchedule registered;

		private @Nullable Put put;

		private Instant latest;

		private Instant touchedAt;

		/** The latest tick with its result, to be returned again for a repeat. */
		private @Nullable String offered;

		private @Nullable Enqueued enqueued;

		private final Deque<Fired> fired = new ArrayDeque<>();

		Schedule(NewSchedule registered, Instant latest, Instant now) {
			this.registered = registered;
			this.latest = latest;
			this.touchedAt = now;
		}

		@Nullable String version() {
			return (this.put != null) ? this.put.version() : null;
		}

		boolean isDeclared() {
			return this.put == null || this.put.replaces() != null;
		}

		boolean isOverrideOf(NewSchedule declared) {
			String replaces = (this.put != null) ? this.put.replaces() : null;
			return (replaces == null || replaces.equals(declared.definition()))
					&& this.registered.queue().equals(declared.queue());
		}

		boolean isRepeat(Tick tick, NewJob job) {
			return tick.instant().equals(this.latest) && job.id().equals(this.offered);
		}

		/**
		 * Accept another definition, which starts over at an instant.
		 */
		void become(NewSchedule schedule, Instant from) {
			boolean other = !schedule.definition().equals(this.registered.definition());
			if (other && from.isAfter(this.latest)) {
				passOver(from);
				this.fired.clear();
			}
			this.registered = schedule;
		}

		void fire(Tick tick, Instant now, NewJob job, Enqueued enqueued) {
			this.latest = tick.instant();
			this.offered = job.id();
			this.enqueued = enqueued;
			this.fired.add(new Fired(tick.instant(), now, enqueued.outcome(), enqueued.id()));
			if (this.fired.size() > ScheduleView.FIRED_KEPT) {
				this.fired.remove();
			}
		}

		void passOver(Instant tick) {
			if (tick.isAfter(this.latest)) {
				this.latest = tick;
				this.offered = null;
				this.enqueued = null;
			}
		}

		ScheduleView view(Set<String> paused, boolean whole) {
			Put shown = (this.put == null || whole) ? this.put
					: new Put(this.put.version(), "", this.put.next(), this.put.replaces());
			return new ScheduleView(this.registered.name(), this.registered.definition(), this.registered.queue(),
					this.latest, paused.contains(this.registered.name()), List.copyOf(this.fired), shown);
		}

	}

}
