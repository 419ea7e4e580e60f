package dev.jobs.store.view;

import java.time.Instant;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * Which schedules that were put at run time are to be looked at.
 *
 * @param due those whose time has come, the earliest first and by name among equals, each
 * with its spec
 * @param next when the time of the first other one comes, or {@code null} for never
 */
public record DueSchedules(List<ScheduleView> due, @Nullable Instant next) {

}
