package dev.jobs.dashboard;

import java.time.Duration;
import java.time.Instant;
import java.util.List;

import dev.jobs.Job;
import dev.jobs.store.JobInspector;
import dev.jobs.store.Obstacle;
import dev.jobs.store.QueueView;
import org.jspecify.annotations.Nullable;

/**
 * Says why a job does not run.
 */
final class Why {

	private Why() {
	}

	/**
	 * Return a sentence, or {@code null} if there is nothing to explain.
	 */
	static @Nullable String of(Job job, JobInspector inspector, Instant now) {
		if (job.run() == null && !job.state().isWaiting()) {
			return null;
		}
		List<QueueView> queues = inspector.queues(now);
		QueueView queue = queues.stream().filter((it) -> it.name().equals(job.name())).findFirst().orElse(null);
		Obstacle obstacle = Obstacle.of(job, queue, inspector.workers(now), now);
		return switch (obstacle.reason()) {
			case RUNS, IS_OVER -> null;
			case WORKER_VANISHED ->
				"The worker that ran it has vanished. Another one takes it over once the lease has run out.";
			case NOT_DUE -> notDue(job, obstacle, now);
			case PAUSED -> "Its queue is paused.";
			case NO_WORKER -> "No live worker has a handler for it.";
			case LIMIT_REACHED -> "The limit of its queue is reached: " + ScheduleWords.plural(obstacle.number(), "job")
					+ " may run at once.";
			case WORKERS_BUSY -> "No place is free: the workers that serve it have "
					+ ScheduleWords.plural(obstacle.number(), "place") + ".";
			case WAITS_FOR_ITS_TURN ->
				(obstacle.number() == 0) ? "A worker is about to take it." : "It waits for its turn: up to "
						+ ScheduleWords.plural(obstacle.number(), "job") + " may be before it.";
		};
	}

	private static String notDue(Job job, Obstacle obstacle, Instant now) {
		Instant until = (obstacle.until() != null) ? obstacle.until() : job.dueAt();
		String due = "It is due in " + ScheduleWords.span(Duration.between(now, until));
		return (job.attempt() > 1) ? due + ", when it is tried again." : due + ".";
	}

}
