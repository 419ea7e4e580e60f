package dev.jobs.autoconfigure.properties;

import java.time.Duration;
import java.time.ZoneId;
import java.util.Map;
import java.util.Set;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.NestedConfigurationProperty;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.context.annotation.ImportRuntimeHints;
import org.springframework.util.unit.DataSize;

/**
 * Configuration properties for Jobs. A value that cannot be bound reads as if it were not
 * set: {@code PropertyCheck} reports it with all others and ends the start.
 *
 * @param enabled Whether Jobs is configured at all. If not, there is no JobClient to
 * inject; to enqueue without running jobs, set 'jobs.worker.enabled' to false.
 * @param store Where jobs are kept.
 * @param namespace Name that separates the jobs of this application from those of others
 * in the same Redis; processes with the same namespace share their jobs. Taken from
 * 'spring.application.name' if not set. In a database the prefix of the tables does so.
 * @param concurrency Number of jobs the default pool runs at once.
 * @param maxPayloadSize Largest size of a job's payload.
 * @param transactions What an enqueue within a Spring transaction does.
 * @param publishEvents Whether job events are published as Spring application events.
 * @param worker Settings of this process as a worker.
 * @param rescue Settings of the rescue of jobs of dead workers.
 * @param pools Additional worker pools by name.
 * @param defaults Options of every handler of this application, below those of its
 * annotation.
 * @param handlers Options by job name, above those of the handler's annotation.
 * Uniqueness, max-waiting, lanes.max-waiting, wait-for-room, expiry, deadlines, tags and
 * urgency also hold for jobs that are only enqueued here.
 * @param schedules Recurring jobs by schedule name.
 * @param retention What is kept of ended jobs.
 * @param redis Settings of the store in Redis.
 * @param jdbc Settings of the store in a relational database.
 * @param health When the health of jobs is down.
 * @param metrics What is measured.
 * @param logs Settings of the log lines of handlers.
 * @param outbox Settings of the outbox in the application's database, for jobs in Redis.
 * @param misfireGrace How late a schedule's tick may be and still count as on time.
 * @param shutdown Settings of the shutdown.
 * @param targetWait How long a job of the default pool may wait, from which the number of
 * workers that are wanted is computed.
 */
@ImportRuntimeHints(HandlerSettings.Hints.class)
@ConfigurationProperties(prefix = "jobs", ignoreInvalidFields = true)
public record JobsProperties(@DefaultValue("true") boolean enabled, @DefaultValue("auto") Store store,
		@Nullable String namespace, @DefaultValue("20") int concurrency, @DefaultValue("1MB") DataSize maxPayloadSize,
		@DefaultValue("after-commit") Transactions transactions, @DefaultValue("false") boolean publishEvents,
		@DefaultValue Worker worker, @DefaultValue Rescue rescue, @DefaultValue Map<String, Pool> pools,
		@NestedConfigurationProperty @DefaultValue HandlerSettings defaults,
		@DefaultValue Map<String, HandlerSettings> handlers, @DefaultValue Map<String, Schedule> schedules,
		@DefaultValue Retention retention, @DefaultValue Redis redis, @DefaultValue Jdbc jdbc,
		@DefaultValue Outbox outbox, @DefaultValue Health health, @DefaultValue Metrics metrics,
		@DefaultValue Logs logs, @DefaultValue("5s") Duration misfireGrace, @DefaultValue Shutdown shutdown,
		@DefaultValue("30s") Duration targetWait) {

	/**
	 * Return how long the jobs of a pool may wait.
	 * @param pool the name of the pool
	 * @return the time
	 */
	public Duration targetWait(String pool) {
		Pool named = this.pools.get(pool);
		return (named != null) ? named.targetWait() : this.targetWait;
	}

	/**
	 * Where jobs are kept.
	 */
	public enum Store {

		/** In the only store that is configured, or else in memory. */
		AUTO,

		/** In Redis. */
		REDIS,

		/** In a relational database. */
		JDBC,

		/** In memory; they end with the application. */
		MEMORY

	}

	/**
	 * What an enqueue within a Spring transaction does.
	 */
	public enum Transactions {

		/**
		 * Enqueues once the transaction has been committed, and never if it is rolled
		 * back.
		 */
		AFTER_COMMIT,

		/** Enqueues at once. */
		IGNORE

	}

	/**
	 * The log lines of handlers.
	 *
	 * @param enabled Whether the newest lines that a handler writes to its log are shown
	 * with its job, if the log is Logback's.
	 */
	public record Logs(@DefaultValue("true") boolean enabled) {

	}

	/**
	 * The store in Redis.
	 *
	 * @param durability What an enqueue waits for.
	 * @param replicas How many replicas an enqueue waits for, if it does for any.
	 * @param replicationTimeout How long an enqueue waits for replicas.
	 */
	public record Redis(@DefaultValue("default") Durability durability, @DefaultValue("1") int replicas,
			@DefaultValue("1s") Duration replicationTimeout) {

		/**
		 * What an enqueue waits for.
		 */
		public enum Durability {

			/** For the server, which keeps jobs as its persistence is configured. */
			DEFAULT,

			/** For replicas too. */
			REPLICATED

		}

	}

	/**
	 * The store in a relational database.
	 *
	 * @param initializeSchema When the tables are created at start.
	 * @param tablePrefix What the names of the tables begin with, perhaps after the name
	 * of a schema and a dot. Applications with jobs of the same names need different ones
	 * in one database.
	 * @param platform Which database it is; detected if not set.
	 * @param poolSize Number of connections that the engine keeps for itself beside a
	 * Hikari pool of the application; 0 to use those of the application.
	 * @param timeout How long a statement may take, and at most how long to wait for a
	 * connection.
	 * @param listen Whether the database notifies workers of new jobs, where it can.
	 */
	public record Jdbc(@DefaultValue("embedded") InitializeSchema initializeSchema,
			@DefaultValue("jobs_") String tablePrefix, @Nullable Platform platform, @DefaultValue("4") int poolSize,
			@DefaultValue("5s") Duration timeout, @DefaultValue("auto") Listen listen) {

		/**
		 * When the tables are created at start.
		 */
		public enum InitializeSchema {

			/** If the database runs within the application. */
			EMBEDDED,

			/** Always, if they are missing. */
			ALWAYS,

			/** Never; they are created by other means. */
			NEVER

		}

		/**
		 * Which database it is.
		 */
		public enum Platform {

			/** PostgreSQL. */
			POSTGRESQL,

			/** MariaDB. */
			MARIADB,

			H2,

			/** SQLite. */
			SQLITE

		}

		/**
		 * Whether the database notifies workers of new jobs.
		 */
		public enum Listen {

			/** If it is PostgreSQL, over one connection. */
			AUTO,

			/** Never; the queues are polled. */
			OFF

		}

	}

	/**
	 * The health of jobs.
	 *
	 * @param loopLag How long a loop of the engine may go without success; 0 for any
	 * time.
	 * @param maxWait How long a due job may wait in a queue that is not paused; for any
	 * time if 0 or not set.
	 * @param maxUnservedWait How long a due job may wait while no live worker has a
	 * handler for it; for any time if 0 or not set.
	 * @param maxScheduleDelay How late a tick of a schedule of this application may be; 0
	 * for any time.
	 * @param timeout How long to wait for the store.
	 * @param cacheTime How long an answer of the store is reused.
	 */
	public record Health(@DefaultValue("1m") Duration loopLag, @Nullable Duration maxWait,
			@Nullable Duration maxUnservedWait, @DefaultValue("10m") Duration maxScheduleDelay,
			@DefaultValue("2s") Duration timeout, @DefaultValue("1s") Duration cacheTime) {

	}

	/**
	 * What is measured.
	 *
	 * @param maxNames Number of queues and of schedules with series of their own; the
	 * others are measured together, as 'other'.
	 * @param timeout How long to wait for the store.
	 * @param cacheTime How long an answer of the store is reused.
	 */
	public record Metrics(@DefaultValue("100") int maxNames, @DefaultValue("2s") Duration timeout,
			@DefaultValue("5s") Duration cacheTime) {

	}

	/**
	 * The outbox in the application's database, for jobs in Redis.
	 *
	 * @param enabled Whether an enqueue within a transaction is written to the
	 * application's database as a part of it, and relayed to Redis from there. Needed for
	 * transactional steps, too.
	 * @param poll Longest time between two reads of the outbox while nothing is committed
	 * here.
	 * @param rememberFor How long Redis remembers a job of the outbox, so that it does
	 * not run again if it is relayed twice.
	 */
	public record Outbox(@DefaultValue("false") boolean enabled, @DefaultValue("5s") Duration poll,
			@DefaultValue("24h") Duration rememberFor) {

	}

	/**
	 * This process as a worker.
	 *
	 * @param enabled Whether this process runs jobs. If not, it only enqueues them.
	 * @param lease How long this worker counts as alive after a beat. Jobs of a dead
	 * worker run again soon after.
	 * @param beat Time between two beats; at most a third of the lease.
	 * @param poll Longest time between two polls of the queues while no notification of
	 * new jobs comes.
	 */
	public record Worker(@DefaultValue("true") boolean enabled, @DefaultValue("15s") Duration lease,
			@DefaultValue("4s") Duration beat, @DefaultValue("5s") Duration poll) {

	}

	/**
	 * The rescue of jobs of dead workers.
	 *
	 * @param enabled Whether this process rescues jobs of dead workers.
	 */
	public record Rescue(@DefaultValue("true") boolean enabled) {

	}

	/**
	 * A worker pool.
	 *
	 * @param concurrency Number of jobs the pool runs at once.
	 * @param handlers Names of the handlers the pool serves; the default pool no longer
	 * does.
	 * @param targetWait How long a job of the pool may wait, from which the number of
	 * workers that are wanted is computed.
	 */
	public record Pool(@DefaultValue("1") int concurrency, @DefaultValue Set<String> handlers,
			@DefaultValue("30s") Duration targetWait) {

	}

	/**
	 * A recurring job.
	 *
	 * @param cron Expression by which the job is enqueued; never if '-'.
	 * @param zone Time zone of the expression.
	 * @param handler Name of the job; that of the schedule if not set.
	 * @param misfire What happens to ticks missed while no worker was up: 'skip',
	 * 'run-once' or 'run-all:10'.
	 * @param payload Payload of every run.
	 */
	public record Schedule(@Nullable String cron, @DefaultValue("UTC") ZoneId zone, @Nullable String handler,
			@DefaultValue("run-once") String misfire, @Nullable Map<String, Object> payload) {

		/**
		 * Return the name of the job.
		 * @param schedule the name of the schedule
		 * @return the name of the job
		 */
		public String jobName(String schedule) {
			return (this.handler != null) ? this.handler : schedule;
		}

	}

	/**
	 * What is kept of ended jobs.
	 *
	 * @param deadAge How long dead jobs are kept; 0 for ever.
	 * @param deadCount How many dead jobs of one name are kept; 0 for all.
	 * @param historyAge How long succeeded and cancelled jobs are kept where a handler
	 * keeps any; 0 for ever.
	 * @param historyCount How many succeeded and cancelled jobs of one name are kept
	 * where a handler keeps any; 0 for all.
	 * @param strandedAge How long a due job may wait while no live worker has a handler
	 * for it; for ever if 0 or not set.
	 */
	public record Retention(@DefaultValue("90d") Duration deadAge, @DefaultValue("10000") int deadCount,
			@DefaultValue("1d") Duration historyAge, @DefaultValue("1000") int historyCount,
			@Nullable Duration strandedAge) {

	}

	/**
	 * The shutdown.
	 *
	 * @param grace How long running jobs may take to finish when the application stops,
	 * before they are interrupted and returned to their queues.
	 */
	public record Shutdown(@DefaultValue("20s") Duration grace) {

	}

}
