package dev.jobs.cron;

import org.jspecify.annotations.Nullable;

/**
 * A job that is enqueued at every tick of a schedule. The {@code with} methods return a
 * changed copy. <pre class="code">{@code
 * RecurringJob report = RecurringJob.of("report", Schedule.parse("@daily", ZoneId.of("Europe/Paris")), "write-report")
 *     .withPayload(Map.of("shop", "paris"))
 *     .withMisfire(Misfire.skip());
 * }</pre>
 *
 * @see dev.jobs.engine.JobEngineBuilder#recurringJob(RecurringJob)
 */
public interface RecurringJob {

	/**
	 * Create a recurring job without a payload, whose missed ticks
	 * {@linkplain Misfire#runOnce() run once}.
	 * @param name the name of the recurrence, the same in every process
	 * @param schedule when it is enqueued
	 * @param jobName the logical name of the job, which is the name of its handler
	 * @throws IllegalArgumentException if the schedule never ticks
	 */
	static RecurringJob of(String name, Schedule schedule, String jobName) {
		record Definition(String name, Schedule schedule, String jobName, @Nullable Object payload,
				Misfire misfire) implements RecurringJob {

			@Override
			public RecurringJob withPayload(@Nullable Object payload) {
				return new Definition(this.name, this.schedule, this.jobName, payload, this.misfire);
			}

			@Override
			public RecurringJob withMisfire(Misfire misfire) {
				return new Definition(this.name, this.schedule, this.jobName, this.payload, misfire);
			}

		}
		if (schedule.isNever()) {
			throw new IllegalArgumentException("'schedule' of recurring job '" + name
					+ "' never ticks: no time matches \"" + schedule.expression() + "\"");
		}
		return new Definition(name, schedule, jobName, null, Misfire.runOnce());
	}

	/**
	 * Return the name of the recurrence.
	 */
	String name();

	/**
	 * Return when it is enqueued.
	 */
	Schedule schedule();

	/**
	 * Return the logical name of the job.
	 */
	String jobName();

	/**
	 * Return the payload of every run.
	 * @return the payload, or {@code null} for none
	 */
	@Nullable Object payload();

	/**
	 * Return what becomes of missed ticks.
	 */
	Misfire misfire();

	/**
	 * Set the payload of every run.
	 * @param payload the payload, or {@code null} for none
	 * @return the changed copy
	 */
	RecurringJob withPayload(@Nullable Object payload);

	/**
	 * Set what becomes of missed ticks.
	 * @param misfire the rule
	 * @return the changed copy
	 */
	RecurringJob withMisfire(Misfire misfire);

}
