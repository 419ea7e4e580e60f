package dev.jobs.store.view;

import java.time.Instant;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * The schedules put at run time that are due to be looked at.
 *
 * @param due those whose time has come, the earliest first and by name among equals, each
 * with its spec
 * @param next when the next one after these is due, or {@code null} for never
 */
public record DueSchedules(List<ScheduleView> due, @Nullable Instant next) {

}
