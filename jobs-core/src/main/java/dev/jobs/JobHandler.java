package dev.jobs;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Makes a bean method the handler of a job. The method takes a payload (a record or other
 * class, {@code Map}, {@code JsonNode}, {@link JobArgs}, {@code String}, {@code byte[]}),
 * a {@link JobContext}, both or neither, and returns nothing or a {@link JobResult}.
 * <p>
 * Text attributes may hold placeholders. Every attribute can be overridden under
 * {@code jobs.handlers.<name>} in the configuration.
 */
@Documented
@Target({ ElementType.METHOD, ElementType.ANNOTATION_TYPE })
@Retention(RetentionPolicy.RUNTIME)
public @interface JobHandler {

	/**
	 * The logical name of the job; if empty, that of the payload's {@link JobType}.
	 * @return the name
	 */
	String value() default "";

	/**
	 * Former names, whose waiting jobs this handler still runs. A limit on all workers, a
	 * pause and uniqueness hold for each name by itself.
	 * @return the names
	 */
	String[] aliases() default {};

	/**
	 * The weight among the jobs of a pool, from 1 to 100000.
	 * @return the weight
	 */
	int priority() default 1;

	/**
	 * How often the job may run before it is dead.
	 * @return the number, at least 1; 0 for the configured default
	 */
	int maxAttempts() default 0;

	/**
	 * How long to wait between attempts.
	 * @return the rule
	 */
	Retry retry() default @Retry;

	/**
	 * How long one run may take, such as {@code 5m}; unlimited if empty.
	 * @return the time
	 */
	String timeout() default "";

	/**
	 * How many jobs of this name may run at once on all workers; 0 for no limit.
	 * @return the limit
	 */
	int maxConcurrency() default 0;

	/**
	 * How many jobs of this name may run at once in this process; 0 for no limit.
	 * @return the limit
	 */
	int localConcurrency() default 0;

	/**
	 * How many jobs of this name may wait at once; 0 for no bound.
	 * @return the bound
	 */
	int maxWaiting() default 0;

	/**
	 * Tags of all jobs of this name, such as {@code team:billing}, by which people find
	 * them. An application without this handler knows them only by {@link JobType#tags}.
	 * @return the tags
	 */
	String[] tags() default {};

	/**
	 * Whether each run is a transaction that is committed together with the end of the
	 * job, so that what the handler writes to the database of the jobs happens exactly
	 * once. Jobs must be kept in the application's database for that.
	 * @return {@code true} to run in a transaction
	 */
	boolean transactional() default false;

	/**
	 * A cron expression by which the job is enqueued without payload; none if empty or
	 * {@code "-"}.
	 * @return the expression
	 */
	String cron() default "";

	/**
	 * The zone of the cron expression.
	 * @return the zone
	 */
	String zone() default "UTC";

	/**
	 * What happens to ticks missed while no worker was up: {@code skip}, {@code run-once}
	 * or {@code run-all:n}.
	 * @return the rule
	 */
	String misfire() default "run-once";

	/**
	 * How long to wait between the attempts of a job.
	 */
	@Documented
	@Target({})
	@Retention(RetentionPolicy.RUNTIME)
	@interface Retry {

		/**
		 * {@code polynomial}, {@code fixed} or {@code exponential}; the configured
		 * default if empty.
		 * @return the type
		 */
		String type() default "";

		/**
		 * The first delay, such as {@code 15s}.
		 * @return the delay
		 */
		String delay() default "5s";

		/**
		 * The longest delay, such as {@code 1h}.
		 * @return the delay
		 */
		String maxDelay() default "1d";

		/**
		 * The factor from one delay to the next, for {@code exponential}.
		 * @return the factor
		 */
		double multiplier() default 2;

		/**
		 * The share of a delay, from 0 to 1, by which it is varied at random.
		 * @return the share
		 */
		double jitter() default 0;

		/**
		 * The name of a {@link Backoff} bean to use instead of the above.
		 * @return the name
		 */
		String backoffBean() default "";

		/**
		 * Exceptions after which the job is dead at once.
		 * @return the types
		 */
		Class<? extends Throwable>[] notFor() default {};

		/**
		 * Whether an exhausted job is dropped instead of kept in the morgue.
		 * @return {@code true} to drop it
		 */
		boolean skipDead() default false;

	}

}
