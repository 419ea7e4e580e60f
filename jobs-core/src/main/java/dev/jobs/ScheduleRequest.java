package dev.jobs;

import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.Objects;
import java.util.function.Consumer;

import dev.jobs.text.ErrorText;
import org.jspecify.annotations.Nullable;

/**
 * A schedule to be put at run time. <pre class="code">{@code
 * ScheduleRequest daily = ScheduleRequest
 *     .of((schedule) -> schedule.cron("0 0 7 * * MON-FRI").zone("Europe/Berlin").job("send-report", "42"));
 * }</pre>
 */
public final class ScheduleRequest {

	private final Builder values;

	private ScheduleRequest(Builder values) {
		this.values = values;
	}

	/**
	 * Return a schedule.
	 * @param schedule describes it, at least by {@code cron} and {@code job}
	 * @throws IllegalArgumentException if one of these is missing
	 */
	public static ScheduleRequest of(Consumer<? super Builder> schedule) {
		Builder builder = Values.changed(new Builder(), schedule);
		if (builder.cron == null || builder.job == null) {
			throw new IllegalArgumentException("A schedule needs 'cron', which says when it ticks, and 'job'");
		}
		return new ScheduleRequest(builder);
	}

	/**
	 * Return a schedule that differs from this one in what is set.
	 * @param changes sets some of it
	 */
	public ScheduleRequest with(Consumer<? super Builder> changes) {
		return new ScheduleRequest(Values.changed(this.values, changes));
	}

	/**
	 * Return when it ticks.
	 */
	public String getCron() {
		return Objects.requireNonNull(this.values.cron);
	}

	/**
	 * Return where the expression is read.
	 */
	public ZoneId getZone() {
		return this.values.zone;
	}

	/**
	 * Return what is enqueued at each tick.
	 */
	public JobRequest getJob() {
		return Objects.requireNonNull(this.values.job);
	}

	/**
	 * Return what becomes of missed ticks.
	 */
	public String getMisfire() {
		return this.values.misfire;
	}

	/**
	 * Return the last instant at which it may tick.
	 * @return the instant, or {@code null} if it ticks for ever
	 */
	public @Nullable Instant getUntil() {
		return this.values.until;
	}

	/**
	 * Return over which time the ticks of equal schedules are spread.
	 */
	public Duration getJitter() {
		return this.values.jitter;
	}

	/**
	 * Return the name of its calendar.
	 * @return the name, or {@code null} if it ticks on all days
	 */
	public @Nullable String getCalendar() {
		return this.values.calendar;
	}

	/**
	 * Return what a tick does while the job of the one before waits or runs.
	 */
	public Overlap getOverlap() {
		return this.values.overlap;
	}

	/**
	 * What a tick does while the job of the one before waits or runs. More will be added,
	 * so a {@code switch} needs a {@code default}.
	 */
	public enum Overlap {

		/** It enqueues its job; how many run at once is up to the handler. */
		ALLOW,

		/** It enqueues nothing. */
		SKIP,

		/** It enqueues its job unless one waits already, so at most one waits. */
		KEEP_LAST

	}

	/**
	 * Describes a schedule. Each call changes this builder and returns it.
	 */
	public static final class Builder extends Values {

		private @Nullable String cron;

		private ZoneId zone = ZoneOffset.UTC;

		private @Nullable JobRequest job;

		private String misfire = "run-once";

		private @Nullable Instant until;

		private Duration jitter = Duration.ZERO;

		private @Nullable String calendar;

		private Overlap overlap = Overlap.ALLOW;

		private Builder() {
		}

		/**
		 * Set when it ticks.
		 * @param expression cron fields, or {@code @every 10m}
		 */
		public Builder cron(String expression) {
			this.cron = Objects.requireNonNull(expression, "'cron' must not be null");
			return this;
		}

		/**
		 * Set where the expression is read, which is UTC unless it is set.
		 * @throws IllegalArgumentException if there is no such time zone
		 */
		public Builder zone(String zone) {
			try {
				return zone(ZoneId.of(zone));
			}
			catch (DateTimeException ex) {
				throw new IllegalArgumentException("There is no time zone '" + ErrorText.clean(zone, 120)
						+ "'; a name is one such as Europe/Berlin", ex);
			}
		}

		/**
		 * Set where the expression is read, which is UTC unless it is set.
		 */
		public Builder zone(ZoneId zone) {
			this.zone = Objects.requireNonNull(zone, "'zone' must not be null");
			return this;
		}

		/**
		 * Set what is enqueued at each tick.
		 * @param name the name of the job
		 * @param payload its payload, or {@code null} for none
		 */
		public Builder job(String name, @Nullable Object payload) {
			return job(JobRequest.named(name).payload(payload));
		}

		/**
		 * Set what is enqueued at each tick.
		 * @param job the job, with options such as tags and a unique key
		 */
		public Builder job(JobRequest job) {
			this.job = Objects.requireNonNull(job, "'job' must not be null");
			return this;
		}

		/**
		 * Set what becomes of ticks that nobody was there to fire.
		 * @param misfire {@code skip}, {@code run-once} (the default) or {@code
		 * run-all:10}
		 */
		public Builder misfire(String misfire) {
			this.misfire = Objects.requireNonNull(misfire, "'misfire' must not be null");
			return this;
		}

		/**
		 * Set the last instant at which it may tick.
		 */
		public Builder until(Instant until) {
			this.until = Objects.requireNonNull(until, "'until' must not be null");
			return this;
		}

		/**
		 * Spread the ticks of schedules with the same expression: each comes later by a
		 * part of this time that depends only on the name of the schedule, and is less
		 * than half the time to the next tick.
		 */
		public Builder jitter(Duration jitter) {
			if (Objects.requireNonNull(jitter, "'jitter' must not be null").isNegative()) {
				throw new IllegalArgumentException("'jitter' must not be negative but was " + jitter);
			}
			this.jitter = jitter;
			return this;
		}

		/**
		 * Tick only on the days that a {@link JobCalendar} allows.
		 * @param calendar its name
		 */
		public Builder calendar(String calendar) {
			this.calendar = Objects.requireNonNull(calendar, "'calendar' must not be null");
			return this;
		}

		/**
		 * Set what a tick does while the job of the one before waits or runs.
		 */
		public Builder overlap(Overlap overlap) {
			this.overlap = Objects.requireNonNull(overlap, "'overlap' must not be null");
			return this;
		}

	}

}
