package dev.jobs;

import java.time.Instant;

import org.jspecify.annotations.Nullable;

/**
 * Why a job does not run, as far as the store knows. <pre class="code">{@code
 * WaitReason reason = operations.waitReason(job);
 * boolean paused = reason.kind() == WaitReason.Kind.PAUSED;
 * }</pre>
 */
public interface WaitReason {

	/**
	 * Return the most important reason: others do not matter while it lasts.
	 */
	Kind kind();

	/**
	 * Return the number that belongs to the reason: the limit, how many run at once, or
	 * how many may be before the job.
	 * @return the number; 0 if none
	 */
	long number();

	/**
	 * Return when the reason ends by itself.
	 * @return the instant, or {@code null} if that is not known
	 */
	@Nullable Instant until();

	/**
	 * Return the job that this one waits for.
	 * @return its id, or {@code null} if it waits for none
	 */
	@Nullable String job();

	/**
	 * Return when the job ends without a run if it still waits then: when it expires or
	 * misses its deadline, whichever is first.
	 * @return the instant, or {@code null} if it may wait for ever
	 */
	@Nullable Instant expiresAt();

	/**
	 * The kinds of reasons. More kinds will be added, so a {@code switch} needs a
	 * {@code default}.
	 */
	enum Kind {

		/** Nothing: it runs. */
		RUNS,

		/**
		 * It is held by a worker that vanished, and will be taken over or has to be
		 * settled.
		 */
		WORKER_VANISHED,

		/** It has ended. */
		IS_OVER,

		/** It is not due yet. */
		NOT_DUE,

		/** It waits for a signal or for the end of another job, as its trail says. */
		PARKED,

		/** It was not started in time; the next prune or claim ends it. */
		EXPIRED,

		/** Its queue is paused. */
		PAUSED,

		/** Its lane is paused. */
		LANE_PAUSED,

		/** No live worker has a handler for it. */
		NO_WORKER,

		/** Each worker that serves its queue is quiet. */
		WORKERS_QUIET,

		/**
		 * Each pool that serves its queue is paused, or some are and the workers of the
		 * others are quiet.
		 */
		WORKERS_PAUSED,

		/** A handler has held back its queue or its lane until a time. */
		HELD_BACK,

		/** As many jobs of its queue run as the stored limit or the workers allow. */
		LIMIT_REACHED,

		/** As many jobs of its lane run as an operator or the workers allow. */
		LANE_FULL,

		/**
		 * A job of its ordered lane has begun and waits for its next attempt, or is dead.
		 */
		LANE_HELD,

		/**
		 * As many jobs of its queue or its lane have started as the rate allows, until
		 * the next permit.
		 */
		RATE_REACHED,

		/** Each pool that serves its queue runs as many jobs as it can. */
		WORKERS_BUSY,

		/** Other jobs may be before it, or a worker is about to take it. */
		WAITS_FOR_ITS_TURN

	}

}
