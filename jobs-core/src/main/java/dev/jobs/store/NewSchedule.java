package dev.jobs.store;

/**
 * A schedule to be stored.
 *
 * @param name its name
 * @param definition its expression and zone as text, to notice that they changed
 * @param queue the queue its jobs go to
 */
public record NewSchedule(String name, String definition, String queue) {

}
