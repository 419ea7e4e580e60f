package dev.jobs.engine.schedule;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.Consumer;

import dev.jobs.JobRejectedException;
import dev.jobs.JobRequest;
import dev.jobs.JobStoreException;
import dev.jobs.cron.RecurringJob;
import dev.jobs.cron.Schedule;
import dev.jobs.engine.context.Events;
import dev.jobs.engine.context.StoreClock;
import dev.jobs.engine.context.WorkerContext;
import dev.jobs.engine.enqueue.TickWriter;
import dev.jobs.engine.enqueue.TickWriter.Offer;
import dev.jobs.engine.lease.Lease;
import dev.jobs.engine.loop.PollLoop;
import dev.jobs.store.NewSchedule;
import dev.jobs.store.Tick;
import dev.jobs.store.TickReply;
import dev.jobs.store.support.Refusals;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * Enqueues the jobs of schedules. Every worker tries to claim every tick, in one call for
 * all that are due, and the store accepts one of them, so there is no leader. The store
 * remembers the latest tick, so a tick fires once whatever the clocks show, and missed
 * ticks are known after a restart. Nothing is fired without a {@linkplain Lease#isSafe()
 * safe lease}, so not before the store's time is known: all workers would remember a tick
 * at a wrong hour.
 */
public final class CronTicker implements PollLoop.Task {

	private static final Logger logger = LoggerFactory.getLogger(CronTicker.class);

	private static final Duration LONGEST_REST = Duration.ofHours(1);

	/** How often schedules are registered again, to show that they still exist. */
	private static final Duration REGISTRATION_INTERVAL = Duration.ofDays(1);

	/** The rest if another worker or a transaction changes a schedule just now. */
	private static final Duration REST_IF_LOCKED = Duration.ofMillis(250);

	private static final Duration LOG_INTERVAL = Duration.ofMinutes(10);

	/** The time of a restart, which is nothing to worry about. */
	private static final Duration SHORT_ABSENCE = Duration.ofMinutes(5);

	private final WorkerContext context;

	private final Lease lease;

	private final TickWriter writer;

	private final List<Entry> entries;

	public CronTicker(WorkerContext context, List<RecurringJob> recurringJobs, Lease lease, TickWriter writer) {
		this.context = context;
		this.lease = lease;
		this.writer = writer;
		this.entries = recurringJobs.stream()
			.map((recurringJob) -> new Entry(recurringJob, context.clock().nanos()))
			.toList();
	}

	@Override
	public Duration poll() {
		if (!this.lease.isSafe()) {
			return this.context.settings().beat();
		}
		Round round = new Round(this.context.clock().now());
		List<Entry> awake = this.entries.stream().filter(round::isAwake).toList();
		round.call(awake.stream().filter(round::isToRegister).toList(), round::register);
		round.call(round.due(awake), round::fire);
		if (round.fault != null) {
			throw round.fault;
		}
		return this.context.clock().until(round.next);
	}

	/**
	 * Request the job of a tick.
	 * @param recurring the schedule and its job
	 * @param tick the tick
	 */
	public static JobRequest request(RecurringJob recurring, Instant tick) {
		return request(JobRequest.named(recurring.jobName()).payload(recurring.payload()), recurring, tick);
	}

	static JobRequest request(JobRequest job, RecurringJob recurring, Instant tick) {
		return job.header(TickWriter.SCHEDULE_HEADER, recurring.name()).header(TickWriter.TICK_HEADER, tick.toString());
	}

	/**
	 * Report ticks that are not fired, if there are any.
	 * @param schedule when there are ticks
	 * @param handled the last tick that has been dealt with
	 * @param ticks those that are fired now
	 */
	static void reportMissed(WorkerContext context, RecurringJob recurring, Schedule schedule, Instant handled,
			List<Instant> ticks, Instant now) {
		Instant first = schedule.next(handled);
		if (first == null || first.isAfter(now) || (!ticks.isEmpty() && !first.isBefore(ticks.get(0)))) {
			return;
		}
		Level level = first.plus(SHORT_ABSENCE).isAfter(now) ? Level.INFO : Level.WARN;
		logger.atLevel(level)
			.log("Schedule '{}' missed ticks from {} on; its misfire rule is {}", recurring.name(), first,
					recurring.misfire());
		context.events().publish(() -> new Events.TicksMissed(recurring.name(), recurring.jobName(), first, now));
	}

	/**
	 * One look at all schedules. The store is called for many at once. Ticks that it
	 * refuses together are tried in halves, and ticks that fail together one by one, so
	 * that none holds up the others.
	 */
	private final class Round {

		private final WorkerContext context = CronTicker.this.context;

		private final Instant now;

		private Instant next;

		private @Nullable RuntimeException fault;

		Round(Instant now) {
			this.now = now;
			this.next = now.plus(LONGEST_REST);
		}

		/**
		 * Return whether a schedule may be fired; after the store has refused it, it may
		 * not for a while.
		 */
		boolean isAwake(Entry entry) {
			long rest = entry.refusedUntilNanos - this.context.clock().nanos();
			if (rest > 0) {
				comeBack(this.now.plusNanos(rest));
			}
			return rest <= 0;
		}

		private void comeBack(@Nullable Instant at) {
			this.next = (at != null && at.isBefore(this.next)) ? at : this.next;
		}

		boolean isToRegister(Entry entry) {
			return entry.handled == null || this.now.isAfter(entry.registeredAt.plus(REGISTRATION_INTERVAL));
		}

		void call(List<Entry> entries, Consumer<List<Entry>> call) {
			Set<Entry> left = new LinkedHashSet<>(entries);
			try {
				Refusals.divide(entries, (some) -> {
					call.accept(some);
					some.forEach(left::remove);
				}, (entry, cause) -> {
					left.remove(entry);
					refused(entry, cause);
				});
			}
			catch (JobStoreException ex) {
				if (entries.size() > 1 && CronTicker.this.lease.isSafe()) {
					left.forEach((entry) -> call(List.of(entry), call));
				}
				else {
					failed(new JobStoreException(entries.get(0).notFired() + ": " + ex.getMessage(), ex, true));
				}
			}
		}

		private void refused(Entry entry, RuntimeException cause) {
			if (cause instanceof JobStoreException) {
				Duration rest = this.context.refusals().add(entry.firing(), cause);
				entry.refused = true;
				entry.refusedUntilNanos = this.context.clock().nanosAfter(rest);
				comeBack(this.now.plus(rest));
			}
			else if (!(cause instanceof JobRejectedException) || !CronTicker.this.writer.isClosed()) {
				// A closed client leaves the tick to other workers, or to the next start.
				failed(new IllegalStateException(entry.notFired(), cause));
			}
		}

		private void undecided(Entry entry, boolean locked) {
			if (locked) {
				comeBack(this.now.plus(REST_IF_LOCKED));
				return;
			}
			failed(new JobStoreException(entry.notFired() + ": the part of the store that keeps it does not answer",
					null, true));
		}

		private void failed(RuntimeException fault) {
			this.fault = (this.fault != null) ? this.fault : fault;
		}

		/**
		 * Register schedules. A store that lost one must not count its next due tick as
		 * claimed.
		 */
		void register(List<Entry> entries) {
			List<TickReply> replies = this.context.store()
				.fireTicks(entries.stream().map((entry) -> entry.tick(entry.since(this.now))).toList(), this.now);
			for (int i = 0; i < replies.size(); i++) {
				Entry entry = entries.get(i);
				Instant latest = replies.get(i).latest();
				if (latest == null) {
					undecided(entry, replies.get(i).equals(TickReply.LOCKED));
				}
				else {
					entry.handled = (entry.handled != null) ? entry.handled : latest;
					entry.registeredAt = this.now;
				}
			}
		}

		/**
		 * Return the schedules that have ticks to fire now.
		 */
		List<Entry> due(List<Entry> entries) {
			List<Entry> due = new ArrayList<>();
			for (Entry entry : entries) {
				try {
					if (entry.handled != null && hasDue(entry, entry.handled)) {
						due.add(entry);
					}
				}
				catch (RuntimeException ex) {
					failed(new IllegalStateException(entry.notFired(), ex));
				}
			}
			return due;
		}

		/**
		 * Find the due ticks of a schedule. After a start or an outage no tick counts as
		 * on time, so that the misfire rule alone decides which are made up for.
		 */
		private boolean hasDue(Entry entry, Instant handled) {
			RecurringJob recurring = entry.recurringJob;
			Duration grace = this.context.settings().misfireGrace();
			boolean away = entry.expected == null || entry.expected.plus(grace).isBefore(this.now);
			List<Instant> due = recurring.misfire()
				.toFire(recurring.schedule(), handled, this.now, away ? Duration.ZERO : grace);
			entry.offer(due);
			if (due.isEmpty()) {
				handled(entry, handled);
			}
			return !due.isEmpty();
		}

		void fire(List<Entry> entries) {
			try {
				CronTicker.this.writer.fire(entries.stream().flatMap((entry) -> entry.due.stream()).toList(), this.now);
				entries.forEach(this::fired);
			}
			catch (JobStoreException ex) {
				if (!ex.isRefused()) {
					entries.forEach(Entry::expectRepeats);
				}
				throw ex;
			}
		}

		private void fired(Entry entry) {
			Instant handled = this.now;
			for (Offer offer : entry.due) {
				Instant latest = offer.latest();
				if (latest == null) {
					if (!offer.isLocked()) {
						entry.expectRepeats();
					}
					undecided(entry, offer.isLocked());
					return;
				}
				handled = latest;
			}
			entry.unconfirmed.clear();
			handled(entry, handled);
		}

		private void handled(Entry entry, Instant latest) {
			RecurringJob recurring = entry.recurringJob;
			reportMissed(this.context, recurring, recurring.schedule(), Objects.requireNonNull(entry.handled),
					entry.ticks(), this.now);
			entry.handled = latest.isBefore(this.now) ? this.now : latest;
			logAhead(entry, entry.handled);
			entry.expected = recurring.schedule().next(this.now);
			comeBack(entry.expected);
			if (entry.refused) {
				this.context.refusals().taken(entry.firing());
				entry.refused = false;
			}
		}

		/**
		 * Log now and then that a schedule waits because it counts as fired until a time
		 * in the future. The poll may have been slow, and others may have fired
		 * meanwhile.
		 */
		private void logAhead(Entry entry, Instant handled) {
			StoreClock clock = this.context.clock();
			if (!handled.isAfter(clock.now().plus(this.context.settings().misfireGrace()))) {
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

	}

	private static final class Entry {

		private final RecurringJob recurringJob;

		private final NewSchedule schedule;

		private @Nullable Instant handled;

		private Instant registeredAt = Instant.MIN;

		private @Nullable Instant expected;

		/** The ticks to fire now. */
		private List<Offer> due = List.of();

		/** The ticks that were offered without a reply. */
		private final Set<Instant> unconfirmed = new HashSet<>();

		/** Until when the schedule counted as fired in the last log line. */
		private @Nullable Instant loggedAhead;

		private long mayLogAheadNanos;

		private boolean refused;

		private long refusedUntilNanos;

		Entry(RecurringJob recurringJob, long nanos) {
			this.recurringJob = recurringJob;
			this.schedule = new NewSchedule(recurringJob.name(), recurringJob.schedule().definition(),
					recurringJob.jobName());
			this.refusedUntilNanos = nanos;
		}

		Instant since(Instant now) {
			return (this.handled == null || this.handled.isAfter(now)) ? now : this.handled;
		}

		Tick tick(Instant instant) {
			return Tick.of(this.schedule, instant, null);
		}

		void offer(List<Instant> ticks) {
			this.unconfirmed.retainAll(ticks);
			this.due = ticks.stream()
				.map((tick) -> new Offer(tick(tick), request(this.recurringJob, tick), this.unconfirmed.contains(tick)))
				.toList();
		}

		/**
		 * Expect the store to know these ticks when they are offered again, since the
		 * reply got lost.
		 */
		void expectRepeats() {
			this.due.stream()
				.filter((offer) -> offer.latest() == null)
				.forEach((offer) -> this.unconfirmed.add(offer.tick().instant()));
			offer(ticks());
		}

		List<Instant> ticks() {
			return this.due.stream().map((offer) -> offer.tick().instant()).toList();
		}

		Refusals.What firing() {
			return new Refusals.What("to fire the schedule", this.recurringJob.name(), "");
		}

		String notFired() {
			return "The schedule '" + this.recurringJob.name() + "' could not be fired";
		}

	}

}
