package dev.jobs.store;

import dev.jobs.Job;

/**
 * A job that a worker holds.
 *
 * @param job the job
 * @param token the fencing token it is held under
 */
public record Claim(Job job, long token) {

}
