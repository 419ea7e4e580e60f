package dev.jobs.engine.schedule;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
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
import dev.jobs.store.view.ScheduleView;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Enqueues the jobs of schedules that were put at run time. It keeps nothing of them: it
 * asks the store which are due and sleeps until the next one is, whatever their number,
 * and the store lets one worker through that offers the tick of the version it knows.
 */
public final class StoredTicker implements PollLoop.Task {

	private static final Logger logger = LoggerFactory.getLogger(StoredTicker.class);

	private static final int MOST_READ = 1000;

	private static final int MOST_AT_ONCE = 100;

	/** How long it rests at most, as a signal may get lost. */
	private static final Duration LONGEST_REST = Duration.ofMinutes(1);

	/** How long it rests if it can do nothing about something that is due. */
	private static final Duration REST_IF_LEFT = Duration.ofSeconds(2);

	private static final int MOST_REPORTED = 1000;

	private final WorkerContext context;

	private final Map<String, JobCalendar> calendars;

	private final Set<String> declared;

	private final Lease lease;

	private final TickWriter writer;

	/** The versions of schedules that cannot be fired here, and were logged. */
	private final Set<String> reported = new HashSet<>();

	private volatile Instant next = Instant.MIN;

	/**
	 * Create a ticker.
	 * @param calendars the calendars that are here, by name
	 * @param recurringJobs the schedules that the application declares
	 */
	public StoredTicker(WorkerContext context, Map<String, JobCalendar> calendars, List<RecurringJob> recurringJobs,
			Lease lease, TickWriter writer) {
		this.context = context;
		this.calendars = calendars;
		this.declared = recurringJobs.stream().map(RecurringJob::name).collect(Collectors.toUnmodifiableSet());
		this.lease = lease;
		this.writer = writer;
	}

	/**
	 * Return whether it would be late for a tick unless it is woken.
	 */
	public boolean restsUntilAfter(Instant tick) {
		return tick.isBefore(this.next);
	}

	@Override
	public Duration poll() {
		if (!this.lease.isSafe()) {
			return this.context.settings().beat();
		}
		Instant now = this.context.clock().now();
		this.next = now.plus(LONGEST_REST);
		int left = 0;
		DueSchedules found;
		do {
			found = this.context.store().inspector().dueSchedules(now, left, MOST_READ);
			left += found.due().size() - fire(found.due(), now);
		}
		while (found.due().size() == MOST_READ && this.lease.isSafe());
		Instant next = (left > 0 || found.due().size() == MOST_READ) ? now.plus(REST_IF_LEFT) : this.next;
		this.next = (found.next() != null && found.next().isBefore(next)) ? found.next() : next;
		return this.context.clock().until(this.next);
	}

	/**
	 * Fire what is due.
	 * @return of how many schedules the store knows that
	 */
	private int fire(List<ScheduleView> due, Instant now) {
		List<Firing> firings = new ArrayList<>();
		Map<String, @Nullable Schedule> schedules = new HashMap<>();
		for (ScheduleView view : due) {
			ScheduleView.Put put = view.put();
			if (put != null && isMine(view.name(), put)
					&& !this.context.refusals().isResting(Firing.what(view.name()))) {
				try {
					Schedule schedule = schedules.computeIfAbsent(view.definition(), Schedule::ofDefinition);
					firings.add(firing(view, put, ScheduleSpec.read(view, put, schedule), now));
					this.reported.remove(put.version());
				}
				catch (RuntimeException ex) {
					report(view.name(), put.version(), Refusals.reasonOf(ex));
				}
			}
		}
		for (int from = 0; from < firings.size(); from += MOST_AT_ONCE) {
			Refusals.divide(firings.subList(from, Math.min(from + MOST_AT_ONCE, firings.size())),
					(some) -> fireTogether(some, now), (firing, cause) -> {
						if (!this.writer.isClosed()) {
							this.context.refusals().add(Firing.what(firing.name), cause);
						}
					});
		}
		List<Firing> done = firings.stream().filter((firing) -> firing.done).toList();
		done.forEach((firing) -> this.context.refusals().taken(Firing.what(firing.name)));
		return done.size();
	}

	/**
	 * Return whether the application may fire a schedule: not if it overrides one that
	 * only others declare.
	 */
	private boolean isMine(String name, ScheduleView.Put put) {
		return put.replaces() == null || this.declared.contains(name);
	}

	private void report(String name, String version, String reason) {
		if (this.reported.size() < MOST_REPORTED && this.reported.add(version)) {
			logger.warn("Schedule '{}' does not tick on this worker: {}", name, reason);
		}
	}

	private Firing firing(ScheduleView view, ScheduleView.Put put, ScheduleSpec spec, Instant now) {
		JobCalendar calendar = calendar(spec);
		Schedule schedule = spec.allowed(calendar);
		Instant shifted = now.minus(spec.offset());
		Duration grace = this.context.settings().misfireGrace();
		boolean away = put.next() == null || put.next().plus(grace).isBefore(now);
		List<Instant> ticks = spec.recurring()
			.misfire()
			.toFire(schedule, view.latest(), shifted, away ? Duration.ZERO : grace);
		CronTicker.reportMissed(this.context, spec.recurring(), schedule, view.latest(), ticks, shifted);
		Instant passed = view.latest().isAfter(shifted) ? view.latest() : shifted;
		Instant next = spec.next(calendar, passed);
		NewSchedule known = new NewSchedule(view.name(), view.definition(), view.queue(), put.version());
		List<Offer> offers = new ArrayList<>();
		for (int i = 0; i < ticks.size(); i++) {
			boolean last = i == ticks.size() - 1;
			offers.add(new Offer(new Tick(known, ticks.get(i), null, last ? next : put.next()),
					spec.request(ticks.get(i)), false));
		}
		return new Firing(view.name(), offers, new Tick(known, passed, null, next));
	}

	private @Nullable JobCalendar calendar(ScheduleSpec spec) {
		JobCalendar calendar = (spec.calendar() != null) ? this.calendars.get(spec.calendar()) : null;
		if (spec.calendar() != null && calendar == null) {
			throw new IllegalStateException("there is no calendar '" + spec.calendar()
					+ "' here; define a JobCalendar of that name, or leave it to workers that have it");
		}
		return calendar;
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
	 * What is to be done for a schedule that is due.
	 */
	private static final class Firing {

		private final String name;

		private final List<Offer> offers;

		/** What is offered if there is nothing to fire, or if that was stopped. */
		private final Tick passing;

		private boolean done;

		Firing(String name, List<Offer> offers, Tick passing) {
			this.name = name;
			this.offers = offers;
			this.passing = passing;
		}

		boolean isPassing() {
			return this.offers.isEmpty() || this.offers.get(this.offers.size() - 1).isStopped();
		}

		static Refusals.What what(String name) {
			return new Refusals.What("to fire the schedule", "", name);
		}

	}

}
