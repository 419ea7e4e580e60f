package dev.jobs.store;

/**
 * A value that a running job saves, to find it again in a later run.
 *
 * @param job the job
 * @param queue its queue
 * @param token the token it is held under
 * @param name the name, of which a job has one value
 * @param value the value
 */
public record Save(String job, String queue, long token, String name, byte[] value) {

}
