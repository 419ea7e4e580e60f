package dev.jobs.autoconfigure.dashboard;

import java.time.Instant;

/**
 * An act of a person in the dashboard, published as an application event.
 *
 * @param at when it was done
 * @param user the user's name, or the address if there is no user
 * @param act what was done, such as {@code retry}
 * @param target what it was done to: ids of jobs, a filter, a queue or a schedule
 * @param count how many jobs, queues or schedules it changed
 */
public record DashboardActEvent(Instant at, String user, String act, String target, int count) {

}
