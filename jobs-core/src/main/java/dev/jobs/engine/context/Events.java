package dev.jobs.engine.context;

import java.time.Duration;
import java.time.Instant;

import dev.jobs.DeadReason;
import dev.jobs.Enqueued;
import dev.jobs.Job;
import dev.jobs.JobEvent;
import org.jspecify.annotations.Nullable;

/**
 * The events that the engine publishes, one for each kind of {@link JobEvent}, which says
 * what they mean.
 */
public final class Events {

	private Events() {
	}

	public record Accepted(Job job, Enqueued.Outcome outcome, Instant at) implements JobEvent.Accepted {

	}

	public record Rejected(String name, Instant at) implements JobEvent.Rejected {

	}

	public record EnqueueFailed(Job job, String error, @Nullable Throwable cause, boolean inDoubt,
			Instant at) implements JobEvent.EnqueueFailed {

	}

	public record Started(Job job, Instant at) implements JobEvent.Started {

	}

	public record Succeeded(Job job, Duration took, Instant at) implements JobEvent.Succeeded {

	}

	public record Retrying(Job job, String error, @Nullable Throwable cause, Instant dueAt, Duration took,
			Instant at) implements JobEvent.Retrying {

	}

	public record Postponed(Job job, Instant dueAt, Duration took, Instant at) implements JobEvent.Postponed {

	}

	public record Died(Job job, DeadReason reason, String error, @Nullable Throwable cause, boolean kept, Duration took,
			Instant at) implements JobEvent.Died {

	}

	public record Cancelled(Job job, Duration took, Instant at) implements JobEvent.Cancelled {

	}

	public record Released(Job job, Duration took, Instant at) implements JobEvent.Released {

	}

	public record LeaseLost(Job job, Instant at) implements JobEvent.LeaseLost {

	}

	public record Rescued(Job job, Instant at) implements JobEvent.Rescued {

	}

	public record Stuck(Job job, Instant since, Instant at) implements JobEvent.Stuck {

	}

	public record Ticked(String schedule, Job job, Instant tick, Instant at) implements JobEvent.Ticked {

	}

	public record TicksMissed(String schedule, String name, Instant since, Instant at) implements JobEvent.TicksMissed {

	}

}
