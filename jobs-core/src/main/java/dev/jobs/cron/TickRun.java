package dev.jobs.cron;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

import dev.jobs.Job;
import dev.jobs.ScheduleStatus;
import dev.jobs.ScheduleStatus.Fate;
import dev.jobs.store.JobInspector;
import dev.jobs.store.ScheduleView;
import dev.jobs.store.ScheduleView.Fired;

/**
 * What became of a tick of a schedule.
 *
 * @param tick the tick
 * @param firedAt when it was fired
 * @param fate what became of its job
 * @param jobId the job, or the one that was in its way
 * @param passedOver how many ticks between the one before and this one were not fired,
 * since no process ran, by the misfire rule or in a pause; at most {@value #MOST_COUNTED}
 */
public record TickRun(Instant tick, Instant firedAt, ScheduleStatus.Fate fate, String jobId,
		int passedOver) implements ScheduleStatus.Run {

	/** How many ticks that were not fired are counted. */
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
			runs.add(0, new TickRun(fired.tick(), fired.at(), fate(fired, inspector, now), fired.jobId(), passedOver));
			before = fired.tick();
		}
		return List.copyOf(runs);
	}

	private static Fate fate(Fired fired, JobInspector inspector, Instant now) {
		return switch (fired.outcome()) {
			case DUPLICATE, FULL, STOPPED -> Fate.NOT_ENQUEUED;
			default -> inspector.job(fired.jobId(), now).map(TickRun::fate).orElse(Fate.ENDED);
		};
	}

	private static Fate fate(Job job) {
		return switch (job.state()) {
			case READY, SCHEDULED -> (job.attempt() > 1) ? Fate.RETRYING : Fate.WAITING;
			case RUNNING -> Fate.RUNNING;
			case SUCCEEDED -> Fate.SUCCEEDED;
			case DEAD -> Fate.DEAD;
			case CANCELLED -> Fate.CANCELLED;
		};
	}

}
