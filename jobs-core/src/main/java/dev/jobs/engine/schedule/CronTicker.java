package dev.jobs.engine.schedule;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

import dev.jobs.Enqueued;
import dev.jobs.JobRejectedException;
import dev.jobs.JobRequest;
import dev.jobs.JobStoreException;
import dev.jobs.cron.RecurringJob;
import dev.jobs.engine.context.Events;
import dev.jobs.engine.context.StoreClock;
import dev.jobs.engine.context.WorkerContext;
import dev.jobs.engine.enqueue.TickWriter;
import dev.jobs.engine.lease.Lease;
import dev.jobs.engine.loop.PollLoop;
import dev.jobs.store.Refusals;
import dev.jobs.store.Tick;
import dev.jobs.store.TickReply;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * Enqueues the jobs of schedules. Every worker tries to claim every tick and the store
 * lets one through, so there is no leader; the latest tick is remembered in the store, so
 * a tick fires once whatever the clocks say, and what was missed is known after a
 * restart. Nothing is fired without a {@linkplain Lease#isSafe() safe lease}, so not
 * before the time of the store is known: a tick of a wrong hour would be remembered by
 * all.
 */
public final class CronTicker implements PollLoop.Task {

	/** The header with the name of the schedule that enqueued a job. */
	static final String SCHEDULE_HEADER = "jobs.schedule";

	/** The header with the tick for which a schedule enqueued a job. */
	static final String TICK_HEADER = "jobs.tick";

	private static final Logger logger = LoggerFactory.getLogger(CronTicker.class);

	private static final Duration LONGEST_REST = Duration.ofHours(1);

	private static final Duration LOG_INTERVAL = Duration.ofMinutes(10);

	/** What a restart takes, which is nothing to worry about. */
	private static final Duration SHORT_ABSENCE = Duration.ofMinutes(5);

	private final WorkerContext context;

	private final Lease lease;

	private final TickWriter writer;

	private final List<Entry> entries = new ArrayList<>();

	public CronTicker(WorkerContext context, List<RecurringJob> recurringJobs, Lease lease, TickWriter writer) {
		this.context = context;
		this.lease = lease;
		this.writer = writer;
		recurringJobs.forEach((recurringJob) -> this.entries.add(new Entry(recurringJob, context.clock().nanos())));
	}

	@Override
	public Duration poll() {
		if (!this.lease.isSafe()) {
			return this.context.settings().beat();
		}
		Instant now = this.context.clock().now();
		Instant next = now.plus(LONGEST_REST);
		RuntimeException fault = null;
		for (Entry entry : this.entries) {
			try {
				Instant nextTick = fireUnlessRefused(entry, now);
				next = (nextTick != null && nextTick.isBefore(next)) ? nextTick : next;
			}
			catch (JobRejectedException ex) {
				// A closed client leaves the tick to others, or to the next start.
				fault = (fault != null || this.writer.isClosed()) ? fault : notFired(entry, ex);
			}
			catch (RuntimeException ex) {
				fault = (fault != null) ? fault : notFired(entry, ex);
			}
		}
		if (fault != null) {
			throw fault;
		}
		return this.context.clock().until(next);
	}

	/**
	 * Fire what is due of a schedule, unless the store has just refused that. Other
	 * schedules are not to wait for the rest that follows a fault.
	 */
	private @Nullable Instant fireUnlessRefused(Entry entry, Instant now) {
		if (entry.refusedUntilNanos - this.context.clock().nanos() > 0) {
			return now.plus(Duration.ofNanos(entry.refusedUntilNanos - this.context.clock().nanos()));
		}
		Refusals.What what = new Refusals.What("to fire the schedule", entry.recurringJob.name(), "");
		try {
			Instant next = fireDue(entry, now);
			if (entry.refused) {
				this.context.refusals().taken(what);
				entry.refused = false;
			}
			return next;
		}
		catch (JobStoreException ex) {
			if (ex.isTemporary()) {
				throw ex;
			}
			Duration rest = this.context.refusals().add(what, ex);
			entry.refused = true;
			entry.refusedUntilNanos = this.context.clock().nanosAfter(rest);
			return now.plus(rest);
		}
	}

	/** A store out of reach stays one, since nobody needs the stack of its fault. */
	private static RuntimeException notFired(Entry entry, RuntimeException cause) {
		String message = "The schedule '" + entry.recurringJob.name() + "' could not be fired";
		return (cause instanceof JobStoreException fault)
				? new JobStoreException(message + ": " + fault.getMessage(), fault, fault.isTemporary())
				: new IllegalStateException(message, cause);
	}

	/**
	 * Fire what is due of a schedule. After a start or an outage nothing counts as on
	 * time, so that the misfire rule alone decides what is made up for.
	 */
	private @Nullable Instant fireDue(Entry entry, Instant now) {
		RecurringJob recurring = entry.recurringJob;
		Instant handled = entry.handled;
		if (handled == null || now.isAfter(entry.registeredAt.plus(LONGEST_REST))) {
			// A store that lost the schedule must not take a tick that is due for a
			// claimed one.
			Instant from = (handled == null || handled.isAfter(now)) ? now : handled;
			Instant latest = this.context.store().fireTick(tick(entry, from, now)).latest();
			handled = (handled == null) ? latest : handled;
			entry.registeredAt = now;
		}
		Duration grace = this.context.settings().misfireGrace();
		boolean away = entry.expected == null || entry.expected.plus(grace).isBefore(now);
		List<Instant> ticks = recurring.misfire()
			.toFire(recurring.schedule(), handled, now, away ? Duration.ZERO : grace);
		reportMissed(entry, handled, ticks, now);
		for (Instant tick : ticks) {
			Instant latest = fire(entry, tick, now);
			entry.handled = latest.isAfter(tick) ? latest : tick;
		}
		if (entry.handled == null || entry.handled.isBefore(now)) {
			entry.handled = now;
		}
		logAhead(entry);
		entry.expected = recurring.schedule().next(now);
		return entry.expected;
	}

	/**
	 * Log now and then that a schedule waits, since it counts as fired until a time in
	 * the future. The poll may have taken long, and others have fired meanwhile.
	 */
	private void logAhead(Entry entry) {
		Instant handled = entry.handled;
		StoreClock clock = this.context.clock();
		if (handled == null || !handled.isAfter(clock.now().plus(this.context.settings().misfireGrace()))) {
			return;
		}
		if (!handled.equals(entry.loggedAhead) || clock.nanos() - entry.mayLogAheadNanos >= 0) {
			entry.loggedAhead = handled;
			entry.mayLogAheadNanos = clock.nanosAfter(LOG_INTERVAL);
			logger.warn(
					"Schedule '{}' is taken as fired until {}, which is in the future; was a clock set back? Its next tick "
							+ "is {}; to have it fire before, give it another name",
					entry.recurringJob.name(), handled, entry.recurringJob.schedule().next(handled));
		}
	}

	private Instant fire(Entry entry, Instant instant, Instant now) {
		RecurringJob recurring = entry.recurringJob;
		boolean again = instant.equals(entry.unconfirmed);
		entry.unconfirmed = instant;
		TickReply reply = this.writer.fire(tick(entry, instant, now), request(recurring, instant), again);
		entry.unconfirmed = null;
		Enqueued enqueued = reply.enqueued();
		if (enqueued != null && (!reply.repeated() || again)) {
			logger.debug("Schedule '{}' fired for {}: {}", recurring.name(), instant, enqueued);
		}
		return reply.latest();
	}

	/**
	 * Request the job of a tick.
	 * @param recurring the schedule and its job
	 * @param tick the tick
	 */
	public static JobRequest request(RecurringJob recurring, Instant tick) {
		return JobRequest.named(recurring.jobName())
			.payload(recurring.payload())
			.options((set) -> set.header(SCHEDULE_HEADER, recurring.name()).header(TICK_HEADER, tick.toString()));
	}

	private void reportMissed(Entry entry, Instant handled, List<Instant> ticks, Instant now) {
		RecurringJob recurring = entry.recurringJob;
		Instant first = recurring.schedule().next(handled);
		if (first == null || first.isAfter(now) || (!ticks.isEmpty() && !first.isBefore(ticks.get(0)))) {
			return;
		}
		Level level = first.plus(SHORT_ABSENCE).isAfter(now) ? Level.INFO : Level.WARN;
		logger.atLevel(level)
			.log("Schedule '{}' missed ticks from {} on; its misfire rule is {}", recurring.name(), first,
					recurring.misfire());
		this.context.events().publish(() -> new Events.TicksMissed(recurring.name(), recurring.jobName(), first, now));
	}

	private static Tick tick(Entry entry, Instant instant, Instant now) {
		RecurringJob recurring = entry.recurringJob;
		return new Tick(recurring.name(), recurring.schedule().definition(), recurring.jobName(), instant, null, now);
	}

	private static final class Entry {

		private final RecurringJob recurringJob;

		private @Nullable Instant handled;

		private Instant registeredAt = Instant.MIN;

		private @Nullable Instant expected;

		/** The tick that was offered last, if there was no reply. */
		private @Nullable Instant unconfirmed;

		/** Until when the schedule counted as fired when that was logged last. */
		private @Nullable Instant loggedAhead;

		private long mayLogAheadNanos;

		private boolean refused;

		private long refusedUntilNanos;

		Entry(RecurringJob recurringJob, long nanos) {
			this.recurringJob = recurringJob;
			this.refusedUntilNanos = nanos;
		}

	}

}
