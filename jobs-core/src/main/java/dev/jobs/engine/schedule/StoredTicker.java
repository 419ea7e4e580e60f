package dev.jobs.engine.schedule;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

import dev.jobs.JobCalendar;
import dev.jobs.cron.RecurringJob;
import dev.jobs.cron.Schedule;
import dev.jobs.engine.context.WorkerContext;
import dev.jobs.engine.enqueue.TickWriter;
import dev.jobs.engine.enqueue.TickWriter.Offer;
import dev.jobs.engine.lease.Lease;
import dev.jobs.engine.loop.PollLoop;
import dev.jobs.store.NewSchedule;
import dev.jobs.store.Tick;
import dev.jobs.store.TickReply;
import dev.jobs.store.support.Refusals;
import dev.jobs.store.view.DueSchedules;
import dev.jobs.store.view.DueSchedules.Place;
import dev.jobs.store.view.ScheduleView;
import org.jspecify.annotations.Nullable;

/**
 * Enqueues the jobs of schedules that were put at run time. It keeps none of them in
 * memory: however many there are, it asks the store which are due and sleeps until the
 * next one is. The store accepts the tick of one worker, and only for the version that it
 * knows.
 */
public final class StoredTicker implements PollLoop.Task {

	private static final String FIRING = "to fire the schedule";

	private static final int MOST_READ = 1000;

	/** The longest rest, since a signal may get lost. */
	private static final Duration LONGEST_REST = Duration.ofMinutes(1);

	/** The rest if a due schedule may be fired in a moment. */
	private static final Duration REST_IF_LEFT = Duration.ofSeconds(2);

	/** After how long it looks again whether a calendar allows a day. */
	private static final Duration REST_IF_NEVER = Duration.ofHours(1);

	private final WorkerContext context;

	private final Map<String, JobCalendar> calendars;

	private final Set<String> declared;

	private final Lease lease;

	private final TickWriter writer;

	private final ScheduleFaults faults;

	private volatile Instant next = Instant.MIN;

	/** Up to where nothing is due that can be fired here, or {@code null}. */
	private volatile @Nullable Place settled;

	/** Since when the first of those is due. */
	private volatile @Nullable Instant firstLeft;

	/** Whether it looks at all that are due, those again that cannot be fired here. */
	private volatile boolean looksAtAll = true;

	private Instant looksAtAllFrom = Instant.MIN;

	/**
	 * Create a ticker.
	 * @param calendars the calendars of this process, by name
	 * @param recurringJobs the schedules that the application declares
	 * @param faults records which schedules cannot be fired here
	 */
	public StoredTicker(WorkerContext context, Map<String, JobCalendar> calendars, List<RecurringJob> recurringJobs,
			ScheduleFaults faults, Lease lease, TickWriter writer) {
		this.context = context;
		this.calendars = calendars;
		this.declared = recurringJobs.stream().map(RecurringJob::name).collect(Collectors.toUnmodifiableSet());
		this.faults = faults;
		this.lease = lease;
		this.writer = writer;
	}

	/**
	 * Learn of a tick, and return whether it would be late unless this is woken.
	 */
	public boolean restsUntilAfter(Instant tick) {
		Place settled = this.settled;
		if (settled != null && !tick.isAfter(settled.at()) && !tick.equals(this.firstLeft)) {
			this.looksAtAll = true;
		}
		return tick.isBefore(this.next);
	}

	@Override
	public Duration poll() {
		if (!this.lease.isSafe()) {
			return this.context.settings().beat();
		}
		Instant now = this.context.clock().now();
		this.next = now.plus(LONGEST_REST);
		if (this.looksAtAll || !now.isBefore(this.looksAtAllFrom)) {
			this.looksAtAll = false;
			this.looksAtAllFrom = this.next;
			this.settled = null;
		}
		Place place = this.settled;
		boolean soon = false;
		DueSchedules found;
		do {
			found = this.context.store().inspector().dueSchedules(now, place, MOST_READ);
			Map<String, Left> left = fire(found.due(), now);
			for (ScheduleView view : found.due()) {
				place = Place.of(view);
				soon |= left.get(view.name()) == Left.FOR_A_MOMENT;
				if (!soon && left.containsKey(view.name())) {
					this.firstLeft = (this.settled != null) ? this.firstLeft : place.at();
					this.settled = place;
				}
			}
		}
		while (found.more() && this.lease.isSafe());
		Instant next = (soon || found.more()) ? now.plus(REST_IF_LEFT) : this.next;
		this.next = (found.next() != null && found.next().isBefore(next)) ? found.next() : next;
		return this.context.clock().until(this.next);
	}

	/**
	 * Fire what is due.
	 * @return what stays due
	 */
	private Map<String, Left> fire(List<ScheduleView> due, Instant now) {
		List<Firing> firings = new ArrayList<>();
		Map<String, Left> left = new HashMap<>();
		Map<String, @Nullable Schedule> schedules = new HashMap<>();
		Set<String> resting = this.context.refusals().resting(FIRING);
		for (ScheduleView view : due) {
			ScheduleView.Put put = view.put();
			left.put(view.name(), resting.contains(view.name()) ? Left.FOR_A_MOMENT : Left.TO_OTHERS);
			if (put == null || !isMine(view.name(), put) || resting.contains(view.name())) {
				continue;
			}
			try {
				Schedule schedule = schedules.computeIfAbsent(view.definition(), Schedule::ofDefinition);
				firings.add(firing(view, put, ScheduleSpec.read(view, put, schedule), now));
				left.put(view.name(), Left.FOR_A_MOMENT);
			}
			catch (RuntimeException ex) {
				this.faults.add(view.name(), Refusals.reasonOf(ex), now, LONGEST_REST.multipliedBy(2));
			}
		}
		Refusals.divide(firings, (some) -> fireTogether(some, now), (firing, cause) -> {
			if (!this.writer.isClosed()) {
				this.context.refusals().add(firing.what(), cause);
			}
		});
		firings.stream().filter((firing) -> firing.done).forEach((firing) -> {
			left.remove(firing.name());
			this.context.refusals().taken(firing.what());
			if (firing.fault == null) {
				this.faults.remove(firing.name());
			}
			else {
				this.faults.add(firing.name(), firing.fault, now, REST_IF_NEVER.plus(LONGEST_REST));
			}
		});
		return left;
	}

	/**
	 * Return whether this application may fire a schedule: not if it overrides one that
	 * only other applications declare.
	 */
	private boolean isMine(String name, ScheduleView.Put put) {
		return put.replaces() == null || this.declared.contains(name);
	}

	private Firing firing(ScheduleView view, ScheduleView.Put put, ScheduleSpec spec, Instant now) {
		JobCalendar calendar = spec.calendarOf(this.calendars);
		Schedule schedule = spec.allowed(calendar);
		Instant shifted = now.minus(spec.offset());
		Duration grace = this.context.settings().misfireGrace();
		boolean away = put.next() == null || put.next().plus(grace).isBefore(now);
		List<Instant> ticks = spec.recurring()
			.misfire()
			.toFire(schedule, view.latest(), shifted, away ? Duration.ZERO : grace);
		CronTicker.reportMissed(this.context, spec.recurring(), schedule, view.latest(), ticks, shifted);
		Instant passed = view.latest().isAfter(shifted) ? view.latest() : shifted;
		Instant tick = spec.next(calendar, passed);
		boolean never = tick == null && spec.next(null, passed) != null;
		Instant next = never ? now.plus(REST_IF_NEVER) : tick;
		NewSchedule known = new NewSchedule(view.name(), view.definition(), view.queue(), put.version());
		List<Offer> offers = new ArrayList<>();
		for (int i = 0; i < ticks.size(); i++) {
			boolean last = i == ticks.size() - 1;
			offers.add(new Offer(Tick.of(known, ticks.get(i), null).withNext(last ? next : put.next()),
					spec.request(ticks.get(i)), false));
		}
		return new Firing(offers, Tick.of(known, passed, null).withNext(next), never ? spec.allowsNothing() : null);
	}

	private void fireTogether(List<Firing> firings, Instant now) {
		List<Offer> offers = firings.stream().flatMap((firing) -> firing.offers.stream()).toList();
		if (!offers.isEmpty()) {
			this.writer.fire(offers, now);
		}
		firings.forEach((firing) -> firing.done = firing.offers.stream().allMatch((offer) -> offer.latest() != null));
		List<Firing> passing = firings.stream().filter(Firing::isPassing).toList();
		if (!passing.isEmpty()) {
			List<TickReply> replies = this.context.store()
				.fireTicks(passing.stream().map((firing) -> firing.passing).toList(), now);
			for (int i = 0; i < replies.size(); i++) {
				passing.get(i).done = replies.get(i).latest() != null;
			}
		}
	}

	/**
	 * Why a schedule stays due.
	 */
	private enum Left {

		/** The store has not taken its tick. */
		FOR_A_MOMENT,

		/** It cannot be fired here. */
		TO_OTHERS

	}

	/**
	 * The action for a due schedule.
	 */
	private static final class Firing {

		private final List<Offer> offers;

		/**
		 * The tick to offer if there is nothing to fire, or an interceptor stopped the
		 * job.
		 */
		private final Tick passing;

		/** Why it does not tick again, if that is a fault. */
		private final @Nullable String fault;

		private boolean done;

		Firing(List<Offer> offers, Tick passing, @Nullable String fault) {
			this.offers = offers;
			this.passing = passing;
			this.fault = fault;
		}

		String name() {
			return this.passing.schedule().name();
		}

		boolean isPassing() {
			return this.offers.isEmpty() || this.offers.get(this.offers.size() - 1).isStopped();
		}

		Refusals.What what() {
			return new Refusals.What(FIRING, "", name());
		}

	}

}
