package dev.jobs.cron;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

import dev.jobs.Job;
import dev.jobs.ScheduleStatus;
import dev.jobs.ScheduleStatus.Fate;
import dev.jobs.Trail;
import dev.jobs.store.view.JobInspector;
import dev.jobs.store.view.ScheduleView;
import dev.jobs.store.view.ScheduleView.Fired;
import org.jspecify.annotations.Nullable;

/**
 * The fate of a schedule's tick.
 *
 * @param tick the tick
 * @param firedAt when it was fired
 * @param fate what became of its job
 * @param jobId the job, or the job that kept it from being enqueued
 * @param passedOver how many ticks since the one before were not fired, because no
 * process ran, the misfire rule dropped them or the schedule was paused; at most
 * {@value #MOST_COUNTED}
 * @param ran how long the latest attempt of the job took, or {@code null}
 */
public record TickRun(Instant tick, Instant firedAt, ScheduleStatus.Fate fate, String jobId, int passedOver,
		@Nullable Duration ran) implements ScheduleStatus.Run {

	/** How many unfired ticks are counted. */
	public static final int MOST_COUNTED = 100;

	/**
	 * Look up what became of the latest ticks of a schedule.
	 * @param view the schedule
	 * @param inspector reads the jobs, each with a call
	 * @param now the current time
	 * @return the runs, latest first
	 */
	public static List<TickRun> of(ScheduleView view, JobInspector inspector, Instant now) {
		Schedule schedule = Schedule.ofDefinition(view.definition());
		List<TickRun> runs = new ArrayList<>();
		Instant before = null;
		for (Fired fired : view.fired()) {
			int passedOver = (before != null && schedule != null)
					? schedule.between(before, fired.tick().minusNanos(1), MOST_COUNTED).size() : 0;
			runs.add(0, of(fired, inspector, now, passedOver));
			before = fired.tick();
		}
		return List.copyOf(runs);
	}

	private static TickRun of(Fired fired, JobInspector inspector, Instant now, int passedOver) {
		Job job = null;
		Fate fate = switch (fired.outcome()) {
			case DUPLICATE, FULL, STOPPED -> Fate.NOT_ENQUEUED;
			default -> {
				job = inspector.job(fired.jobId(), now).orElse(null);
				yield (job != null) ? fate(job) : Fate.ENDED;
			}
		};
		return new TickRun(fired.tick(), fired.at(), fate, fired.jobId(), passedOver, (job != null) ? ran(job) : null);
	}

	private static @Nullable Duration ran(Job job) {
		List<Trail.Attempt> attempts = job.trail().attempts();
		if (attempts.isEmpty()) {
			return null;
		}
		Trail.Attempt last = attempts.get(attempts.size() - 1);
		Instant started = last.startedAt();
		return (started != null) ? Duration.between(started, last.endedAt()) : null;
	}

	private static Fate fate(Job job) {
		return switch (job.state()) {
			case READY, SCHEDULED, WAITING -> (job.attempt() > 1) ? Fate.RETRYING : Fate.WAITING;
			case RUNNING -> Fate.RUNNING;
			case SUCCEEDED -> Fate.SUCCEEDED;
			case DEAD -> Fate.DEAD;
			case CANCELLED -> Fate.CANCELLED;
		};
	}

}
