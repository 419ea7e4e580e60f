package dev.jobs;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Makes a bean method the handler of a job. The method takes a payload (a record or other
 * class, {@code Map}, {@code JsonNode}, {@link JobArgs}, {@code String}, {@code byte[]}),
 * a {@link JobContext}, both or neither, and returns nothing, a {@link JobResult} or a
 * value, which is {@linkplain #keepResult() kept} if asked.
 * <p>
 * An attribute that is left out is unset, so {@code jobs.defaults} applies. One that is
 * set outweighs {@code jobs.defaults}, whatever its value. That is why {@code "true"} and
 * {@code "false"} are written as text, which can be empty and so unset. Text attributes
 * may hold placeholders. Each attribute has the name of a property below
 * {@code jobs.handlers.<name>}, which outweighs it. {@link UniqueJob} on the payload's
 * type or on the method makes jobs unique. <pre class="code">
 * &#64;JobHandler(value = "send-email", maxAttempts = 5, timeout = "1m")
 * JobResult send(OrderMail mail, JobContext context) {
 *     if (mail.to().isEmpty()) {
 *         return JobResult.discard().message("Nobody to send it to");
 *     }
 *     context.checkIn("to " + mail.to());
 *     return JobResult.done();
 * }
 * </pre>
 */
@Documented
@Target({ ElementType.METHOD, ElementType.ANNOTATION_TYPE })
@Retention(RetentionPolicy.RUNTIME)
public @interface JobHandler {

	/** Stands for a number that is left out. */
	int UNSET = Integer.MIN_VALUE;

	/**
	 * The logical name of the job; if empty, the name of the payload's {@link JobType}.
	 */
	String value() default "";

	/**
	 * Former names, whose waiting jobs this handler still runs. A limit on all workers, a
	 * pause and uniqueness apply to each name separately.
	 */
	String[] aliases() default {};

	/**
	 * The weight among the jobs of a pool, from 1 to 100000. Jobs of weight 10 are
	 * claimed ten times as often as those of weight 1, and no name starves; unlike in
	 * many other queues, a high number does not go first. Among the jobs of one name
	 * {@link #urgency()} decides.
	 */
	int priority() default UNSET;

	/**
	 * How soon jobs of this name start among each other unless their enqueue sets it:
	 * {@code urgent}, {@code high}, {@code normal} or {@code low}.
	 */
	String urgency() default "";

	/**
	 * How often the job may run before it is dead.
	 * @return the number, at least 1
	 */
	int maxAttempts() default UNSET;

	/**
	 * How long one run may take, such as {@code 5m}; {@code 0} for any time.
	 */
	String timeout() default "";

	/**
	 * How many jobs of this name may run at once on all workers; 0 for no limit.
	 */
	int maxConcurrency() default UNSET;

	/**
	 * How many jobs of this name may run at once in this process; 0 for no limit.
	 */
	int localConcurrency() default UNSET;

	/**
	 * How many jobs of this name may start in any window on all workers, such as
	 * {@code 100/1m}, or {@code 100/1m burst 10} to spread them; {@code none} for any
	 * number.
	 */
	String rate() default "";

	/**
	 * What holds for each lane of its queue.
	 */
	Lanes lanes() default @Lanes;

	/**
	 * How many jobs of this name may wait at once; 0 for no bound.
	 */
	int maxWaiting() default UNSET;

	/**
	 * How long an enqueue waits while the queue is full, before the job is rejected.
	 */
	String waitForRoom() default "";

	/**
	 * How long after it is due a job may start, such as {@code 5m}; {@code 0} for no
	 * bound.
	 * @see EnqueueOptions.Builder#expiresIn
	 */
	String expiresIn() default "";

	/**
	 * How long after it is due a job must have ended, such as {@code 1h}; {@code 0} for
	 * no bound.
	 * @see EnqueueOptions.Builder#deadlineIn
	 */
	String deadlineIn() default "";

	/**
	 * The end of a job that is not started in time: {@code discard} or {@code dead}.
	 */
	String onExpiry() default "";

	/**
	 * Tags of all jobs of this name, such as {@code team:billing}, by which operators
	 * find them. An application without this handler knows them only by
	 * {@link JobType#tags}.
	 */
	String[] tags() default {};

	/**
	 * Whether jobs that succeeded or were cancelled are kept for a while.
	 * @return {@code "true"} to keep them
	 */
	String keepHistory() default "";

	/**
	 * How long the end of a job is kept, with the value that the method returned, such as
	 * {@code 1h}, for those who ask for it; {@code 0} to keep nothing.
	 */
	String keepResult() default "";

	/**
	 * Whether jobs that have used up their attempts are kept; if not, they are dropped.
	 * @return {@code "true"} to keep them
	 */
	String keepDead() default "";

	/**
	 * The consequence of an exception: {@code retry} or {@code fail}.
	 */
	String onException() default "";

	/**
	 * Types of exceptions after which a job is dead at once. The thrown exception counts,
	 * not its causes.
	 */
	Class<? extends Throwable>[] noRetryFor() default {};

	/**
	 * How long to wait between attempts.
	 */
	RetryDelay backoff() default @RetryDelay;

	/**
	 * How soon a job that was {@linkplain JobResult#snooze() put off} without a time may
	 * run again.
	 */
	String snoozeDelay() default "";

	/**
	 * How many process deaths a suspect, a job abandoned twice before, may cause before
	 * it is dead.
	 * @return the number, at least 1
	 */
	int maxCrashes() default UNSET;

	/**
	 * Whether each run is a transaction that is committed together with the end of the
	 * job, so that the handler's writes to the database of the jobs happen exactly once.
	 * Jobs must be kept in the application's database for that.
	 * @return {@code "true"} to run in a transaction
	 */
	String transactional() default "";

	/**
	 * A cron expression by which the job is enqueued without payload; none if empty or
	 * {@code "-"}.
	 */
	String cron() default "";

	/**
	 * The zone of the cron expression, such as {@code Europe/Paris}.
	 */
	String zone() default "";

	/**
	 * What happens to ticks missed while no worker was up: {@code skip}, {@code run-once}
	 * or {@code run-all:n}.
	 */
	String misfire() default "";

	/**
	 * What holds for each lane of a queue.
	 *
	 * @see JobLane
	 */
	@Documented
	@Target({})
	@Retention(RetentionPolicy.RUNTIME)
	@interface Lanes {

		/**
		 * How many jobs of a lane may run at once on all workers; 0 for no limit.
		 */
		int maxConcurrency() default UNSET;

		/**
		 * Whether the jobs of a lane run strictly one after the other, through all
		 * retries, snoozes and rescues; {@code false} leaves it to the properties.
		 */
		boolean ordered() default false;

		/**
		 * What becomes of an ordered lane whose job is dead: {@code hold} to wait until
		 * it is retried or deleted, or {@code skip}.
		 */
		String onDead() default "";

		/**
		 * How many jobs of a lane may start in any window on all workers, as
		 * {@link JobHandler#rate()} has it.
		 */
		String rate() default "";

		/**
		 * How many jobs of a lane may wait at once, those that are due later not counted;
		 * 0 for no bound.
		 */
		int maxWaiting() default UNSET;

		/**
		 * How many jobs some lanes give for each one of another lane, from 1 to 100, such
		 * as {@code tenant:gold=4}.
		 */
		String[] weights() default {};

	}

	/**
	 * How long to wait between the attempts of a job.
	 */
	@Documented
	@Target({})
	@Retention(RetentionPolicy.RUNTIME)
	@interface RetryDelay {

		/**
		 * How the delay grows: {@code polynomial}, {@code fixed} or {@code exponential}.
		 * @return the type
		 */
		String type() default "";

		/**
		 * The first delay, such as {@code 15s}, for {@code fixed} and
		 * {@code exponential}.
		 */
		String delay() default "";

		/**
		 * The longest delay, such as {@code 1h}.
		 */
		String maxDelay() default "";

		/**
		 * The factor from one delay to the next, for {@code exponential}.
		 */
		double multiplier() default Double.NaN;

		/**
		 * The share of a delay, from 0 to 1, by which it is varied at random.
		 */
		double jitter() default Double.NaN;

		/**
		 * The name of a {@link Backoff} bean to use instead of the above.
		 */
		String bean() default "";

	}

}
