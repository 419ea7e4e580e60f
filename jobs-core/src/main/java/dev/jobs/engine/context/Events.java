package dev.jobs.engine.context;

import java.time.Duration;
import java.time.Instant;
import java.util.StringJoiner;

import dev.jobs.DeadReason;
import dev.jobs.Enqueued;
import dev.jobs.Job;
import dev.jobs.JobEvent;
import dev.jobs.text.ErrorText;
import org.jspecify.annotations.Nullable;

/**
 * The events that the engine publishes, one for each kind of {@link JobEvent}, which
 * documents them.
 */
public final class Events {

	private static final int LONGEST = 4000;

	private Events() {
	}

	/**
	 * Return an event as a line that can be logged, whatever its texts contain.
	 */
	private static String line(String kind, @Nullable Object... namesAndValues) {
		StringJoiner line = new StringJoiner(", ", kind + "[", "");
		for (int i = 0; i < namesAndValues.length; i += 2) {
			Object value = namesAndValues[i + 1];
			line.add(namesAndValues[i] + "=" + ((value instanceof Throwable cause) ? ErrorText.of(cause) : value));
		}
		return ErrorText.clean(line.toString(), LONGEST) + "]";
	}

	public record Accepted(Job job, Enqueued.Outcome outcome, Instant at) implements JobEvent.Accepted {

	}

	public record Rejected(String name, Instant at) implements JobEvent.Rejected {

		@Override
		public String toString() {
			return line("Rejected", "name", this.name, "at", this.at);
		}

	}

	public record EnqueueFailed(Job job, String error, @Nullable Throwable cause, boolean inDoubt,
			Instant at) implements JobEvent.EnqueueFailed {

		@Override
		public String toString() {
			return line("EnqueueFailed", "job", this.job, "error", this.error, "cause", this.cause, "inDoubt",
					this.inDoubt, "at", this.at);
		}

	}

	public record Started(Job job, Instant at) implements JobEvent.Started {

	}

	public record Succeeded(Job job, Duration took, Instant at) implements JobEvent.Succeeded {

	}

	public record Retrying(Job job, String error, @Nullable Throwable cause, Instant dueAt, Duration took,
			Instant at) implements JobEvent.Retrying {

		@Override
		public String toString() {
			return line("Retrying", "job", this.job, "error", this.error, "cause", this.cause, "dueAt", this.dueAt,
					"took", this.took, "at", this.at);
		}

	}

	public record Postponed(Job job, Instant dueAt, Duration took, Instant at) implements JobEvent.Postponed {

	}

	public record Died(Job job, DeadReason reason, String error, @Nullable Throwable cause, boolean kept, Duration took,
			Instant at) implements JobEvent.Died {

		@Override
		public String toString() {
			return line("Died", "job", this.job, "reason", this.reason, "error", this.error, "cause", this.cause,
					"kept", this.kept, "took", this.took, "at", this.at);
		}

	}

	public record Expired(String name, String id, boolean kept, Instant at) implements JobEvent.Expired {

		@Override
		public String toString() {
			return line("Expired", "name", this.name, "id", this.id, "kept", this.kept, "at", this.at);
		}

	}

	public record Cancelled(Job job, Duration took, Instant at) implements JobEvent.Cancelled {

	}

	public record Released(Job job, Duration took, Instant at) implements JobEvent.Released {

	}

	public record StepSaved(Job job, String step, Instant at) implements JobEvent.StepSaved {

		@Override
		public String toString() {
			return line("StepSaved", "job", this.job, "step", this.step, "at", this.at);
		}

	}

	public record LeaseLost(Job job, Instant at) implements JobEvent.LeaseLost {

	}

	public record Rescued(Job job, Instant at) implements JobEvent.Rescued {

	}

	public record Stuck(Job job, Instant since, Instant at) implements JobEvent.Stuck {

	}

	public record Ticked(String schedule, Job job, Instant tick, Instant at) implements JobEvent.Ticked {

		@Override
		public String toString() {
			return line("Ticked", "schedule", this.schedule, "job", this.job, "tick", this.tick, "at", this.at);
		}

	}

	public record TicksMissed(String schedule, String name, Instant since, Instant at) implements JobEvent.TicksMissed {

		@Override
		public String toString() {
			return line("TicksMissed", "schedule", this.schedule, "name", this.name, "since", this.since, "at",
					this.at);
		}

	}

}
