package dev.jobs.lab;

import org.jspecify.annotations.Nullable;

/**
 * The payload of a job of the lab.
 *
 * @param ref how the ledgers name it, whatever the store calls it
 * @param millis how long its work takes
 * @param failures how many of its attempts fail or are put off first
 * @param key its unique key or its lane, or {@code null} if it has none
 */
record LabJob(String ref, int millis, int failures, @Nullable String key) {

}
