package dev.jobs.engine.settle;

import java.time.Duration;
import java.time.Instant;

import dev.jobs.JobResult;
import dev.jobs.Trail;
import org.jspecify.annotations.Nullable;

/**
 * How a delivery ended: normally, by a failure, by a crash or by a shutdown.
 * {@link Settler} turns each into a transition.
 */
public sealed interface Outcome {

	/**
	 * The handler returned.
	 *
	 * @param result its result
	 * @param value the value that it returned, or {@code null} if that is not kept
	 */
	record Returned(JobResult result, byte @Nullable [] value) implements Outcome {

		public Returned(JobResult result) {
			this(result, null);
		}

	}

	/**
	 * The handler waits for something.
	 *
	 * @param need what
	 * @param until until when at the latest
	 */
	record Parked(Trail.Wait need, Instant until) implements Outcome {

	}

	/**
	 * The handler, or an interceptor, threw.
	 *
	 * @param cause what it threw
	 */
	record Threw(Throwable cause) implements Outcome {

	}

	/**
	 * The payload could not be read.
	 *
	 * @param cause why
	 */
	record Unreadable(Throwable cause) implements Outcome {

	}

	/**
	 * The run took longer than it may.
	 *
	 * @param ignored how long it continued after its interruption
	 */
	record TimedOut(Duration ignored) implements Outcome {

	}

	/** It was not started before it expired, or its deadline passed. */
	record Expired() implements Outcome {

	}

	/**
	 * An operator ended it.
	 *
	 * @param begun whether its handler was called
	 */
	record Cancelled(boolean begun) implements Outcome {

	}

	/** The worker stopped before the run ended, or before it began. */
	record Interrupted() implements Outcome {

	}

	/** The worker stopped because the handler had called {@link System#exit}. */
	record Exited() implements Outcome {

	}

	/** The worker vanished. */
	record Abandoned() implements Outcome {

	}

	/**
	 * It is unknown whether the run's transaction was committed.
	 *
	 * @param cause what went wrong
	 */
	record Unconfirmed(Throwable cause) implements Outcome {

	}

}
