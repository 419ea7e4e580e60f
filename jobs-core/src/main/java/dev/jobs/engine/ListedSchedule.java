package dev.jobs.engine;

import java.time.Instant;
import java.time.ZoneId;
import java.util.List;

import dev.jobs.ScheduleStatus;
import dev.jobs.cron.Schedule;
import dev.jobs.store.view.ScheduleView;
import dev.jobs.text.ErrorText;
import org.jspecify.annotations.Nullable;

/**
 * A schedule of the store and where it stands.
 *
 * @param name its name
 * @param jobName the name of its jobs
 * @param definition what the store has of it
 * @param expression when it ticks, or {@code null} if the definition is not understood
 * @param zone where the expression is read, or {@code null} likewise
 * @param last its latest tick that was fired, or {@code null} if none was
 * @param next its next tick, or {@code null} if there is none
 * @param overdueSince its earliest tick that has passed without being fired
 * @param paused whether it is paused
 * @param definedHere whether this engine has it
 * @param put whether it was put at run time
 * @param overrides what the application declares in its place, or {@code null}
 */
record ListedSchedule(String name, String jobName, String definition, @Nullable String expression,
		@Nullable ZoneId zone, @Nullable Instant last, @Nullable Instant next, @Nullable Instant overdueSince,
		boolean paused, boolean definedHere, boolean put, @Nullable String overrides) implements ScheduleStatus {

	/**
	 * A longer definition is not one of ours, and would be read whole by whoever looks.
	 */
	private static final int LONGEST = 2000;

	private static final int SHOWN = 200;

	static ListedSchedule of(ScheduleView view, boolean definedHere, Instant now) {
		String definition = view.definition();
		ScheduleView.Put put = view.put();
		String overrides = (put != null) ? put.replaces() : null;
		Schedule schedule = (definition.length() <= LONGEST) ? Schedule.ofDefinition(definition) : null;
		if (schedule == null) {
			return new ListedSchedule(view.name(), view.queue(), ErrorText.clean(definition, SHOWN), null, null,
					last(view), null, null, view.paused(), definedHere, put != null, overrides);
		}
		Instant due = (put != null) ? put.next() : schedule.next(view.latest());
		boolean overdue = due != null && due.isBefore(now) && !view.paused();
		return new ListedSchedule(view.name(), view.queue(), definition, schedule.expression(), schedule.zone(),
				last(view), (put != null) ? put.next() : schedule.next(now), overdue ? due : null, view.paused(),
				definedHere, put != null, overrides);
	}

	/** The latest tick that counts may also be when the schedule was registered. */
	private static @Nullable Instant last(ScheduleView view) {
		List<ScheduleView.Fired> fired = view.fired();
		return fired.isEmpty() ? null : fired.get(fired.size() - 1).tick();
	}

}
