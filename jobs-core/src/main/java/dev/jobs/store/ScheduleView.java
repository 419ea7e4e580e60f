package dev.jobs.store;

import java.time.Instant;

/**
 * A schedule as the store knows it.
 *
 * @param name its name
 * @param definition its expression and zone
 * @param queue the queue its jobs go to
 * @param latest its latest tick, or when it was first registered
 */
public record ScheduleView(String name, String definition, String queue, Instant latest) {

}
